import Foundation
@testable import RecordKit
@testable import RecordKitInterceptors
import RecordKitXML

/// Checks a response: a digit that selects a type, lines of headers, an empty line, a body. It is read and printed. No
/// value of a sensitive header is printed.
enum AnswerFuzzing {
    private static let planted = "Zk7xQw93LmPd"
    private static let url = URL(string: "https://store.example/v1/records?api_key=\(planted)")!

    private static let types = [
        "application/json", "application/problem+json", "text/plain", "application/x-www-form-urlencoded", "text/xml",
        "text/html; charset=iso-8859-1", "application/octet-stream",
    ]

    static func check(_ bytes: [UInt8]) {
        let answer = answer(bytes)
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        _ = ServerLimits(answer.headers, date: { now }).pause
        _ = answer.problem
        _ = answer.link("next")

        var dumped = ""
        dump(answer, to: &dumped)
        for text in ["\(answer)", NetworkError.status(answer).description] where text.contains(planted) {
            violation("no sensitive item of an address is printed", text)
        }
        let isElsewhere = answer.headers.contains { field in
            !answer.headers.isSensitive(field.name) && field.value.contains(planted)
        }
        if !isElsewhere, dumped.contains(planted) { violation("no sensitive header is printed", dumped) }
        let logged = LoggedBody([], limit: answer.body.count / 2)
        _ = logged.description(of: answer.body, answer.mediaType)
        describeIfUnreadable(answer) { try answer.value(as: String.self) }
        describeIfUnreadable(answer) { try answer.value(as: [String: Int].self) }
        describeIfUnreadable(answer) { try answer.value(as: XMLTree.self) }
    }

    private static func answer(_ bytes: [UInt8]) -> NetworkResponse {
        let pick = bytes.first.map { Int($0) } ?? 0
        var headers = HTTPHeaders()
        var rest = bytes.dropFirst()
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = String(line[..<colon])
            if ByteSet.isToken(name), !name.contains(planted) {
                headers.add(name, String(line[line.index(after: colon)...]))
            }
        }
        if !headers.contains("Content-Type") { headers["Content-Type"] = types[pick % types.count] }
        return NetworkResponse(statusCode: 400 + pick, headers: headers, body: Data(rest), url: url)
    }

    private static func describeIfUnreadable<Value>(_ answer: NetworkResponse, read: () throws -> Value) {
        do {
            _ = try read()
        } catch {
            _ = NetworkError.DecodingFailure(type: "\(Value.self)", response: answer, cause: error).description
        }
    }
}
