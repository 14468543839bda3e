/// A body past the size limit of its request.
public struct TooLarge: Error, Sendable, Equatable, CustomStringConvertible {
    /// The limit, in bytes.
    public let limit: Int
    /// Host and port, such as `store.example:443`.
    public let host: String

    public init(limit: Int, host: String) {
        self.limit = limit
        self.host = host
    }

    public var description: String {
        "The answer of \(host) is larger than \(limit) bytes, the limit of this request; raise `sizeLimit` to take it."
    }
}
