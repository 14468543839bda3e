import Foundation
import RecordKit

/// An exchange in an archive, ready to be replayed.
struct Recording: Sendable {
    /// The pattern of the request, with the cassette's sensitive values redacted.
    let pattern: StubPattern
    /// Returns the pattern of the request, with the sensitive values of a call redacted, too.
    let patternWithout: @Sendable (Redaction) -> StubPattern
    let response: StubResponse
    /// The URL of the response, or `nil` if it is that of the request.
    let url: URL?

    /// Creates a recording. Returns `nil` for a URL that no transport loads, such as local data.
    ///
    /// - Throws: `Unreadable` with the reason.
    init?(_ entry: HTTPArchive.Entry, number: Int, _ redaction: Redaction) throws(Unreadable) {
        guard let original = URL(string: entry.request.url), ["http", "https"].contains(original.scheme?.lowercased()),
            URL(string: redaction.url(original)) != nil
        else { return nil }
        let method = HTTPMethod(rawValue: entry.request.method)
        let type = entry.request.postData?.mimeType.flatMap { MediaType($0) }
        let body = try Self.body(entry.request.postData)
        patternWithout = { redaction in
            let url = URL(string: redaction.url(original)) ?? original
            let body = redaction.body(body, type)
            var pattern = StubPattern(exactly: method, url) { BodyComparison.difference(from: body, type, to: $0) }
            pattern.name = "\(method) \(url.absoluteString) (entry \(number))"
            return pattern
        }
        pattern = patternWithout(redaction)
        response = try Self.response(entry.response, to: method, of: pattern.name)
        self.url = entry.response?._url.flatMap { URL(string: $0) }
    }

    struct Unreadable: Error {
        let reason: String
    }

    private static func body(_ data: HTTPArchive.PostData?) throws(Unreadable) -> Data {
        guard let data else { return Data() }
        guard let text = data.text, !text.isEmpty || data.params == nil else {
            var form = RequestQuery()
            for field in data.params ?? [] { form.items.append(.init(name: field.name, value: field.value ?? "")) }
            guard let body = try? FormBody(form).encoded(using: JSONEncoder()), case .data(let bytes) = body.content
            else { throw Unreadable(reason: "the fields of its form can't be encoded") }
            return bytes
        }
        return try bytes(text, data._encoding)
    }

    private static func response(
        _ response: HTTPArchive.Response?, to method: HTTPMethod, of request: String
    ) throws(Unreadable) -> StubResponse {
        guard let response, let status = response.status, status > 0 else {
            let kind = response?._failure.flatMap(FailureKind.init) ?? .lost
            return .failure(
                RecordedError(
                    description: response?._error ?? "the browser got no response", kind: kind,
                    mayHaveReachedServer: response?._mayHaveReachedServer ?? kind.mayHaveReachedServer))
        }
        let content = response.content
        if content?.text == nil, content?._file != nil || content?.size ?? 0 > 0, method != .head, status != 304 {
            let error = CassetteError.bodyMissing(request: request, file: content?._file)
            return .failure(NetworkError.unexpected(error, by: "Cassette"))
        }
        var headers = HTTPHeaders()
        for header in response.headers ?? [] where !header.name.hasPrefix(":") {
            // Redaction changes the length. Only the response to HEAD, which has no body, keeps it.
            if header.name.lowercased() == "content-length", method != .head { continue }
            for value in (header.value ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
                headers.add(header.name, String(value))
            }
        }
        if !headers.contains("Content-Type"), let type = content?.mimeType, MediaType(type) != nil {
            headers["Content-Type"] = type
        }
        let body = try bytes(content?.text ?? "", content?.encoding)
        // The browser returned a 304 with a body from its cache. For the page it was a 200.
        return .status(status == 304 && !body.isEmpty ? 200 : status, headers: headers, body: body)
    }

    private static func bytes(_ text: String, _ encoding: String?) throws(Unreadable) -> Data {
        switch encoding?.lowercased() {
        case nil, "": return Data(text.utf8)
        case "base64":
            // Lines may be broken. Other invalid characters would be skipped, and shift the rest.
            guard let data = Data(base64Encoded: text.filter { !$0.isWhitespace }) else {
                throw Unreadable(reason: "its body isn't valid base64")
            }
            return data
        case let encoding?: throw Unreadable(reason: "its encoding \"\(encoding)\" isn't supported; only base64 is")
        }
    }
}
