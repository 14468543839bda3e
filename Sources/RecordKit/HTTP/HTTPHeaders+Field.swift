extension HTTPHeaders {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The name, in the case it was written in.
        public let name: String
        /// The value, which may be sensitive.
        public let value: String
        private let known: KnownUse

        /// Creates a field line. One that cannot be sent is reported when its call is.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
            known = KnownUse(use: Use(name, value))
        }

        /// Creates a field line of a response, which is seldom sent on.
        init(received name: String, value: String) {
            self.name = name
            self.value = value
            known = KnownUse(use: nil)
        }

        /// Whether the field line can be sent: found out where it is made, since most are sent again and again.
        var use: Use { known.use ?? Use(name, value) }

        /// It follows from name and value, so it doesn't tell two fields apart.
        private struct KnownUse: Hashable {
            let use: Use?

            static func == (one: KnownUse, other: KnownUse) -> Bool { true }

            func hash(into hasher: inout Hasher) {}
        }
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
