extension HTTPHeaders {
    /// A field line: a name and a value.
    public struct Field: Sendable, Hashable {
        /// The name, with its case preserved.
        public let name: String
        /// The value. It may be sensitive.
        public let value: String
        private let known: KnownUse

        /// Creates a field line. Sending it throws an error if the name or the value is not valid.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
            known = KnownUse(use: Use(name, value))
        }

        /// Creates a field line of a response. Doesn't validate it, since it is rarely sent.
        init(received name: String, value: String) {
            self.name = name
            self.value = value
            known = KnownUse(use: nil)
        }

        /// Whether the field line can be sent. Computed once in the initializer, since most field lines are sent many
        /// times.
        var use: Use { known.use ?? Use(name, value) }

        /// A cached result. All are equal, since it follows from the name and the value.
        private struct KnownUse: Hashable {
            let use: Use?

            static func == (one: KnownUse, other: KnownUse) -> Bool { true }

            func hash(into hasher: inout Hasher) {}
        }
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
