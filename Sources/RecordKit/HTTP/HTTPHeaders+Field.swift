extension HTTPHeaders {
    /// A field line: a name and a value.
    public struct Field: Sendable {
        /// The name, with its case preserved.
        public let name: String
        /// The value. It may be sensitive.
        public let value: String
        /// Whether the value is ISO 8859-1 on the wire, since a server has sent it so. Otherwise, it is UTF-8.
        public let isLatin1: Bool
        /// Whether the field line can be sent, or `nil` if that is not known yet.
        private let knownUse: Use?
        /// Whether the name is a well-known sensitive one, or `nil` if that is not known yet.
        private let knownSensitivity: Bool?

        /// Creates a field line. Sending it throws an error if the name or the value is not valid.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
            isLatin1 = false
            knownUse = Use(name, value)
            knownSensitivity = SensitiveNames.isWellKnown(name)
        }

        /// Creates a field line of a response, for a transport. It is validated only if it is sent.
        public init(received name: String, value: String, isLatin1: Bool = false) {
            self.name = name
            self.value = value
            self.isLatin1 = isLatin1
            knownUse = nil
            knownSensitivity = nil
        }

        /// Whether the field line can be sent. Computed once in the initializer, since most field lines are sent many
        /// times.
        var use: Use { knownUse ?? Use(name, value) }

        /// Whether the name is a well-known sensitive one. Computed once, like ``use``.
        var isWellKnownSensitive: Bool { knownSensitivity ?? SensitiveNames.isWellKnown(name) }
    }

    /// Whether a field line can be sent.
    enum Use: Sendable {
        /// A field that any request may set.
        case free
        /// A field that only the transport or an interceptor may set.
        case ofTransport
        /// A field that frames the body. Only the transport may set it.
        case ofFraming
        /// A field whose name is not a token (RFC 9110 section 5.1).
        case badName
        /// A field whose value contains a line break or another control character (RFC 9110 section 5.5).
        case badValue

        /// Validates a field line.
        init(_ name: String, _ value: String) {
            if !ByteSet.isToken(name) {
                self = .badName
            } else if Self.isAny(name, of: "Content-Length", "Transfer-Encoding") {
                self = .ofFraming
            } else if !ByteSet.fieldValue.containsAll(of: value) {
                self = .badValue
            } else {
                self = Self.isAny(name, of: "Host", "Connection") ? .ofTransport : .free
            }
        }

        private static func isAny(_ name: String, of one: String, _ other: String) -> Bool {
            HTTPHeaders.matches(name, one) || HTTPHeaders.matches(name, other)
        }
    }
}

extension HTTPHeaders {
    /// Returns whether a string can be sent as the value of a field (RFC 9110 section 5.5).
    ///
    /// - Parameter value: A value, such as one that a server has sent.
    public static func isValid(value: String) -> Bool { ByteSet.fieldValue.containsAll(of: value) }
}
