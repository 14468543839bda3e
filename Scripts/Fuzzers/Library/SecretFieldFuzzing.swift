import Foundation

/// A body: a digit that picks JSON, XML or a form, and its text. What stands in it in secret fields alone is printed
/// neither in a log, wherever that cuts it, nor as curl.
enum SecretFieldFuzzing {
    private static let secret = "QqPlanted7"
    private static let names = SecretNames([])
    private static let url = URL(string: "https://store.example/v1/records")!

    static func check(_ bytes: [UInt8]) {
        guard let pick = bytes.first else { return }
        let body = Data(bytes.dropFirst())
        let text = String(decoding: body, as: UTF8.self)
        let type: String
        let hidden: Int
        switch pick % 3 {
        case 0:
            type = "application/json"
            guard let json = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed) else { return }
            hidden = count(inJSON: json, isSecret: false)
        case 1:
            type = "text/xml"
            guard let tree = try? XMLTree(body) else { return }
            hidden = count(inXML: tree, isSecret: false)
        default:
            type = "application/x-www-form-urlencoded"
            hidden = count(inForm: text)
        }
        guard hidden > 0, hidden == count(in: text) else { return }

        let answer = NetworkResponse(statusCode: 200, headers: ["Content-Type": type], body: body, url: url)
        let call = NetworkCall(url: url, method: .post, body: EncodedBody(body, contentType: type))
        let logged = LoggedBody(of: call)
        let limits = [.max] + Array(stride(from: 1, to: body.count, by: body.count / 16 + 1))
        for printed in limits.map({ logged.text(answer, limit: $0) }) + [call.curl] where printed.contains(secret) {
            violation("no secret field is printed", text, printed)
        }
    }

    private static func count(in text: String) -> Int {
        text.components(separatedBy: secret).count - 1
    }

    private static func count(inJSON json: Any, isSecret: Bool) -> Int {
        switch json {
        case let text as String: isSecret ? count(in: text) : 0
        case let list as [Any]: list.reduce(0) { $0 + count(inJSON: $1, isSecret: isSecret) }
        case let object as [String: Any]:
            object.reduce(0) { $0 + count(inJSON: $1.value, isSecret: isSecret || names.isSecret($1.key)) }
        default: 0
        }
    }

    /// - Parameter isSecret: whether it stands within an element of a secret name, whose own attributes are not its content.
    private static func count(inXML tree: XMLTree, isSecret: Bool) -> Int {
        let attributes = tree.attributes.filter { isSecret || names.isSecret(localName($0.key)) }
        let isSecret = isSecret || names.isSecret(localName(tree.name))
        return (isSecret ? count(in: tree.text) : 0) + attributes.reduce(0) { $0 + count(in: $1.value) }
            + tree.children.reduce(0) { $0 + count(inXML: $1, isSecret: isSecret) }
    }

    private static func localName(_ name: String) -> String {
        String(name.split(separator: ":").last ?? "")
    }

    private static func count(inForm text: String) -> Int {
        // By scalars: a sign that combines with an ampersand hides it from Character.
        text.unicodeScalars.split(separator: "&").reduce(0) { sum, pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
            let name = parts[0].replacing("+", with: " ").removingPercentEncoding
            return sum + (parts.count == 2 && name.map(names.isSecret) == true ? count(in: parts[1]) : 0)
        }
    }
}
