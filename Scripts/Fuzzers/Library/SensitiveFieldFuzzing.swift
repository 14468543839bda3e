import Foundation
@testable import RecordKit
@testable import RecordKitInterceptors

/// Checks a body: a digit that selects JSON or a form, and its text. Text that only occurs in sensitive fields is not
/// printed, neither in a log, wherever the log cuts it, nor as curl.
enum SensitiveFieldFuzzing {
    private static let planted = "QqPlanted7"
    private static let names = SensitiveNames([])
    private static let url = URL(string: "https://store.example/v1/records")!

    static func check(_ bytes: [UInt8]) {
        guard let pick = bytes.first else { return }
        let body = Data(bytes.dropFirst())
        let text = String(decoding: body, as: UTF8.self)
        let type: String
        let hidden: Int
        switch pick % 2 {
        case 0:
            type = "application/json"
            guard let json = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed) else { return }
            hidden = count(inJSON: json, isSensitive: false)
        default:
            type = "application/x-www-form-urlencoded"
            hidden = count(inForm: text)
        }
        guard hidden > 0, hidden == count(in: text) else { return }

        let call = NetworkCall(url: url, method: .post, body: EncodedBody(body, contentType: type))
        let limits = [.max] + Array(stride(from: 1, to: body.count, by: body.count / 16 + 1))
        let logged = limits.map { LoggedBody([], limit: $0).description(of: body, MediaType(type)) }
        for printed in logged + [call.curl] where printed.contains(planted) {
            violation("no sensitive field is printed", text, printed)
        }
    }

    private static func count(in text: String) -> Int {
        text.components(separatedBy: planted).count - 1
    }

    private static func count(inJSON json: Any, isSensitive: Bool) -> Int {
        switch json {
        case let text as String: isSensitive ? count(in: text) : 0
        case let list as [Any]: list.reduce(0) { $0 + count(inJSON: $1, isSensitive: isSensitive) }
        case let object as [String: Any]:
            object.reduce(0) { $0 + count(inJSON: $1.value, isSensitive: isSensitive || names.isSensitive($1.key)) }
        default: 0
        }
    }

    private static func count(inForm text: String) -> Int {
        // Splits by scalars, because a combining character after an ampersand hides it in a `Character`.
        text.unicodeScalars.split(separator: "&").reduce(0) { sum, pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
            let name = parts[0].replacing("+", with: " ").removingPercentEncoding
            return sum + (parts.count == 2 && name.map(names.isSensitive) == true ? count(in: parts[1]) : 0)
        }
    }
}
