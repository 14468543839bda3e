public import Foundation
public import RecordKit

/// A request as it came over the wire.
public struct LoopbackRequest: Sendable, Equatable {
    /// The method, its case as sent.
    public internal(set) var method: HTTPMethod = ""
    /// The target exactly as sent: what stands between the method and the version.
    public internal(set) var target = ""
    /// The version as sent, `HTTP/1.1` nearly always.
    public internal(set) var version = ""
    /// The header lines exactly as sent and in order, without their line ends; bytes that are not UTF-8 are replaced.
    public internal(set) var headerLines: [String] = []
    /// The body, its chunks joined. Empty when the server does not keep bodies (see `BodyHandling`).
    public internal(set) var body = Data()
    /// The length of the body in bytes, kept or not.
    public internal(set) var bodyLength = 0
    /// All bytes as received: request line, headers, body with its chunk framing. Without the body when it is not kept.
    public internal(set) var bytes = Data()
    /// The connection that it came on, counted from 0 in the order in which the server accepted them.
    public let connection: Int

    init(connection: Int) {
        self.connection = connection
    }

    /// The target up to its `?`, percent-encoded as sent.
    public var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// The body read as UTF-8, bad bytes replaced.
    public var text: String {
        String(decoding: body, as: UTF8.self)
    }

    /// The value of the first header with this name, in any case, without the white space around it; nil if there is
    /// none.
    public func header(_ name: String) -> String? {
        headers(name).first
    }

    /// The values of all headers with this name, in order.
    public func headers(_ name: String) -> [String] {
        HTTPHeaders(fields).values(for: name)
    }

    private var fields: [HTTPHeaders.Field] {
        headerLines.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return HTTPHeaders.Field(name: String(line[..<colon]), value: value)
        }
    }

    /// Whether a header holds this token in its comma-separated list (RFC 9110 section 5.6.1).
    func header(_ name: String, holds token: String) -> Bool {
        headers(name).contains { value in
            value.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces).lowercased() == token }
        }
    }

    /// Whether the client wants the connection closed after the answer (RFC 9112 section 9.3).
    var endsConnection: Bool {
        header("Connection", holds: "close")
            || (version == "HTTP/1.0" && !header("Connection", holds: "keep-alive"))
    }
}

extension LoopbackRequest: CustomStringConvertible, CustomReflectable {
    /// Method and target, sensitive items redacted.
    public var description: String {
        "\(method) \(URL(string: target)?.redacted() ?? String(target.prefix { $0 != "?" }))"
    }

    /// Without the body, and with sensitive headers redacted: a `dump`, and the `#expect` of Swift Testing, look at this.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "request": description, "headers": HTTPHeaders(fields), "body": "\(bodyLength) bytes",
            "connection": connection,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
