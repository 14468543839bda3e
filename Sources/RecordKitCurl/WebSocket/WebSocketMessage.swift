public import Foundation

/// A message of a ``WebSocket``. The list of cases is complete (RFC 6455 section 5.6).
public enum WebSocketMessage: Sendable, Hashable {
    /// A string, sent as UTF-8.
    case text(String)
    /// Bytes.
    case data(Data)

    @available(*, unavailable, renamed: "data")
    public static func binary(_ data: Data) -> WebSocketMessage { .data(data) }
}

/// The code and the reason with which an end of a ``WebSocket`` closes it (RFC 6455 section 7.4).
///
/// It is the cause of the error that `send(_:)` and `ping()` throw after the connection was closed.
public struct WebSocketClose: Error, Sendable, Hashable {
    /// The code.
    public var code: Code
    /// The reason, at most 123 bytes of UTF-8. It is meant for logs.
    public var reason: String

    /// Creates a code with its reason.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - reason: The reason.
    public init(_ code: Code, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// A code that says why a connection is closed.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The number.
        public let rawValue: UInt16

        /// Creates a code. Applications choose their own from 4000 to 4999.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The connection has done what it was for: 1000.
        public static let normal = Code(rawValue: 1000)
        /// The server shuts down, or the client leaves: 1001.
        public static let goingAway = Code(rawValue: 1001)
        /// A frame is not valid: 1002.
        public static let protocolError = Code(rawValue: 1002)
        /// The type of a message is not supported: 1003.
        public static let unsupportedData = Code(rawValue: 1003)
        /// The other end sent no code: 1005. It can't be sent.
        public static let none = Code(rawValue: 1005)
        /// A text message is not UTF-8: 1007.
        public static let invalidText = Code(rawValue: 1007)
        /// A message violates a policy: 1008.
        public static let policyViolation = Code(rawValue: 1008)
        /// A message is too large: 1009.
        public static let tooLarge = Code(rawValue: 1009)
        /// The server failed: 1011.
        public static let internalError = Code(rawValue: 1011)
        /// The server restarts: 1012.
        public static let restart = Code(rawValue: 1012)
        /// The server is overloaded: 1013.
        public static let tryAgainLater = Code(rawValue: 1013)

        /// Whether the code may be sent.
        var canBeSent: Bool {
            switch rawValue {
            case 1000...1003, 1007...1014, 3000...4999: true
            default: false
            }
        }
    }
}

extension WebSocketClose: CustomStringConvertible, LocalizedError {
    /// The code and the reason.
    public var description: String {
        "the WebSocket was closed with \(code.rawValue)\(reason.isEmpty ? "" : ": \(reason)")"
    }
    /// The same as `description`.
    public var errorDescription: String? { description }
}

/// What is wrong with the bytes that a server sent on a ``WebSocket``. It is the cause of a `NetworkError`.
public struct WebSocketProtocolError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// The code that the server was sent.
    public let code: WebSocketClose.Code
    /// What is wrong.
    public let reason: String

    /// What is wrong.
    public var description: String { reason }
    /// The same as `description`.
    public var errorDescription: String? { reason }
}
