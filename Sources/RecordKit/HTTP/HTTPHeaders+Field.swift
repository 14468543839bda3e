extension HTTPHeaders {
    /// One field line.
    public struct Field: Sendable {
        public let name: String
        public let value: String
        /// Nil for what was received, which is seldom sent on.
        private let knownUse: Use?

        public init(name: String, value: String) {
            self.name = name
            self.value = value
            knownUse = Use(name, value)
        }

        /// One whose value has no control characters.
        ///
        /// - Parameter use: that of its name.
        init(_ name: String, plain value: String, use: Use) {
            self.name = name
            self.value = value
            knownUse = use
        }

        init(received name: String, value: String) {
            self.name = name
            self.value = value
            knownUse = nil
        }

        /// Found out where the field is made, since most are sent again and again.
        var use: Use { knownUse ?? Use(name, value) }
    }

    /// Whether a field line can be sent.
    enum Use: Sendable {
        case free
        /// What the transport alone may say, and an interceptor where it must.
        case ofTransport
        /// What tells the length of the request, which it alone knows.
        case ofFraming
        /// Its name is no token (RFC 9110 section 5.1).
        case badName
        /// Its value holds a line break or another control character (RFC 9110 section 5.5).
        case badValue

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

extension HTTPHeaders.Field: Hashable {
    public static func == (one: HTTPHeaders.Field, other: HTTPHeaders.Field) -> Bool {
        one.name == other.name && one.value == other.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
    }
}
