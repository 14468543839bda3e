/// An answer that is not HTTP, or breaks its rules: with a body, say, that is not encoded as it claims. On Linux also
/// some that keep them; see <doc:LinuxLimits>.
public struct BadResponse: Error, Sendable, CustomStringConvertible {
    /// Host and port, such as `store.example:443`.
    public let host: String
    /// What the transport reported, without addresses.
    public let cause: (any Error)?

    public init(host: String, cause: (any Error)? = nil) {
        self.host = host
        self.cause = cause
    }

    public var description: String {
        "\(host) answered with something that is no valid HTTP. Check the port, and what its server sends."
    }
}
