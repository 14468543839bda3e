import Foundation
import RecordKit
import RecordKitInterceptors

/// Redacts sensitive header fields, query items, and fields of JSON, form and multipart bodies.
struct Redaction {
    /// The names that are sensitive in addition to the well-known ones, in lowercase.
    private var names: Set<String>

    init(_ names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
    }

    func adding(_ more: Set<String>) -> Redaction {
        var redaction = self
        redaction.names.formUnion(more)
        return redaction
    }

    func url(_ url: URL) -> String { url.redacted(names) }

    func address(_ address: String) -> String {
        var headers: HTTPHeaders = ["Location": address]
        headers.markSensitive(names)
        return headers.redacted()["Location"] ?? ""
    }

    func headers(_ headers: HTTPHeaders) -> [HTTPArchive.NameAndValue] {
        var headers = headers
        headers.markSensitive(names)
        return headers.redacted().map { HTTPArchive.NameAndValue(name: $0.name, value: $0.value) }
    }

    func description(of error: NetworkError) -> String {
        guard case .redirectRefused(let refusal) = error else { return error.description }
        let location = address(refusal.location)
        return NetworkError.RedirectRefusal(reason: refusal.reason, response: refusal.response, location: location)
            .description
    }

    /// Returns JSON, forms and multipart bodies with sensitive fields redacted, and other bodies unchanged. What can be
    /// read as JSON or a form is one, whatever its type.
    func body(_ body: Data, _ type: MediaType?) -> Data {
        if let type, type.essence == "multipart/form-data" {
            var headers = HTTPHeaders()
            headers.markSensitive(names)
            return Self.multipart(body, type) { headers.isSensitive($0) }
        }
        guard let parts = RedactedPart.all(in: body, type, sensitive: names) else { return body }
        var redacted = Data()
        for part in parts {
            switch part {
            case .plain(let plain): redacted += plain
            case .sensitive(_, let value):
                // Only in JSON, a value follows a colon.
                let isValue = redacted.last { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: ":")
                redacted += Data((isValue ? Self.value(like: value) : "redacted").utf8)
            }
        }
        return redacted
    }

    private static func multipart(_ body: Data, _ type: MediaType, isSensitive: (String) -> Bool) -> Data {
        var redacted = Data()
        var copied = body.startIndex
        for part in MultipartPart.all(in: body, type) ?? [] where part.name.map(isSensitive) == true {
            redacted += body[copied..<part.content.lowerBound] + Data("redacted".utf8)
            copied = part.content.upperBound
        }
        return redacted + body[copied...]
    }

    /// Returns a JSON value of the same kind, so that the recording can be decoded like the response.
    private static func value(like value: ArraySlice<UInt8>) -> String {
        switch value.first {
        case UInt8(ascii: "{"): "{}"
        case UInt8(ascii: "["): "[]"
        default: "0"
        }
    }
}
