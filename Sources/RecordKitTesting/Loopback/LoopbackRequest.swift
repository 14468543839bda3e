public import Foundation
public import RecordKit

/// A request as a ``LoopbackServer`` received it.
public struct LoopbackRequest: Sendable, Equatable {
    /// The method.
    public internal(set) var method: HTTPMethod = ""
    /// The target exactly as sent, between the method and the version.
    public internal(set) var target = ""
    /// The version as sent, usually `HTTP/1.1`.
    public internal(set) var version = ""
    /// The header lines exactly as sent, in order, without line ends. Invalid UTF-8 is replaced.
    public internal(set) var headerLines: [String] = []
    /// The lines after a chunked body exactly as sent, in order, without line ends (RFC 9110 section 6.5).
    public internal(set) var trailerLines: [String] = []
    /// The body, its chunks joined. Empty if the server doesn't keep bodies; see ``BodyHandling``.
    public internal(set) var body = Data()
    /// The length of the body in bytes, even if it isn't kept.
    public internal(set) var bodyLength = 0
    /// All bytes as received: request line, header and body with its chunk framing. Without the body if it isn't kept.
    public internal(set) var bytes = Data()
    /// The number of the connection, counted from 0 in the order in which the server accepted them.
    public let connection: Int

    init(connection: Int) {
        self.connection = connection
    }

    /// The target before its `?`, percent-encoded as sent.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The body as UTF-8. Invalid bytes are replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the value of the first header field with a name, without white space around it, or `nil` if there is
    /// none.
    ///
    /// - Parameter name: The name, in any case.
    public func header(_ name: String) -> String? { headers(name).first }

    /// Returns the values of all header fields with a name, in order.
    ///
    /// - Parameter name: The name, in any case.
    public func headers(_ name: String) -> [String] { HTTPHeaders(fields).values(for: name) }

    private var fields: [HTTPHeaders.Field] {
        headerLines.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return HTTPHeaders.Field(name: String(line[..<colon]), value: value)
        }
    }

    /// Returns whether a header field contains a token in its list (RFC 9110 section 5.6.1).
    func header(_ name: String, holds token: String) -> Bool {
        headers(name).contains { value in
            value.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces).lowercased() == token }
        }
    }

    /// Whether the client wants the connection closed after the response (RFC 9112 section 9.3).
    var endsConnection: Bool {
        header("Connection", holds: "close")
            || (version == "HTTP/1.0" && !header("Connection", holds: "keep-alive"))
    }
}

extension LoopbackRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the target, sensitive values redacted.
    public var description: String {
        "\(method) \(URL(string: target)?.redacted() ?? String(target.prefix { $0 != "?" }))"
    }

    /// A mirror without the body, and with sensitive header fields redacted. `dump` and the `#expect` of Swift Testing
    /// use it.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "request": description, "headers": HTTPHeaders(fields), "body": "\(bodyLength) bytes",
            "connection": connection,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
