import Foundation

/// An answer: a digit that picks a type, lines of headers, an empty line, a body. Whatever it sends back of the
/// credentials that the call had, nothing that is printed of it holds them.
enum AnswerFuzzing {
    static let credential = "Zk7xQw93LmPd"

    private static let call = NetworkCall(
        url: URL(string: "https://store.example/v1/records?api_key=\(credential)")!,
        headers: [
            "Authorization": "Bearer \(credential)", "Cookie": "sid=\(credential)", "X-Api-Key": "\(credential)",
        ])

    private static let types = [
        "application/json", "application/problem+json", "text/plain", "application/x-www-form-urlencoded", "text/xml",
        "multipart/form-data; boundary=B", "text/html; charset=iso-8859-1", "application/x-ndjson", "text/event-stream",
        "application/octet-stream",
    ]

    static func check(_ bytes: [UInt8]) {
        let answer = answer(bytes)
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        _ = ServerLimits(answer.headers, date: { now }).pause
        _ = answer.problem

        keeps("\(answer)")
        var dumped = ""
        dump(answer, to: &dumped)
        keeps(dumped)
        keeps(NetworkError.status(answer).description)
        let logged = LoggedBody(of: call)
        keeps(logged.text(answer, limit: .max))
        keeps(logged.text(answer, limit: answer.body.count / 2))
        keepsIfUnreadable(answer) { try answer.value(as: String.self) }
        keepsIfUnreadable(answer) { try answer.value(as: [String: Int].self) }
        keepsIfUnreadable(answer) { try answer.value(as: XMLTree.self) }
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
            // No server knows a credential for the name of a header.
            let name = String(line[..<colon])
            if ByteSet.isToken(name), !name.contains(credential) {
                headers.add(name, String(line[line.index(after: colon)...]))
            }
        }
        if !headers.contains("Content-Type") { headers["Content-Type"] = types[pick % types.count] }
        var answer = NetworkResponse(statusCode: 400 + pick, headers: headers, body: Data(rest), url: call.url)
        answer.hide(call.credentials)
        return answer
    }

    private static func keeps(_ printed: String) {
        if printed.contains(credential) { violation("no credential that is sent back is printed", printed) }
    }

    private static func keepsIfUnreadable<Value>(_ answer: NetworkResponse, read: () throws -> Value) {
        do {
            _ = try read()
        } catch {
            keeps(DecodingFailure(type: "\(Value.self)", response: answer, cause: error).description)
        }
    }
}
