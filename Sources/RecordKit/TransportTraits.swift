// Used by every folder: `Call` has transports, and the traits name the transport of `URLSession`, a later folder.

/// What the library must know of a transport.
///
/// A transport around another one returns the traits of that one, changed where it differs.
public struct TransportTraits: Sendable {
    /// The limit on concurrent exchanges per host. `nil`, the default, is no limit.
    public var slots: HostSlots?
    /// Whether the transport can send a live ``StreamBody`` while it is made. Default: no.
    ///
    /// Otherwise, live bodies are read into a file before the exchange, like other streams. A transport that can send
    /// them reads the body with `EncodedBody.Reader`.
    public var sendsLiveBodies: Bool
    /// Whether the transport can switch a connection to another protocol, such as WebSocket. Default: no.
    public var upgradesConnections: Bool
    /// The transport that returns data tasks. `nil`, the default, if there is none.
    public var dataTaskTransport: URLSessionTransport?
    /// Returns a stored response in place of an exchange, or `nil` to send the call, or to end it with its error. It is
    /// `nil`, the default, if the transport stores none.
    ///
    /// It is called before the call takes a slot and starts its timer, and again after an exchange has failed or
    /// exceeded its timeout, with the error. The call contains the cookies that would be sent. The response counts
    /// neither as sent nor as received, and its `Set-Cookie` isn't read again. Its body is data. An error that the
    /// function throws ends the call.
    ///
    /// The function may set an option of its own in the call, to hand on to `exchange` what it has found. The call may
    /// arrive there without it, or changed by a transport around this one.
    public var storedResponse:
        (@Sendable (_ call: inout NetworkCall, _ error: NetworkError?) async throws(NetworkError) -> StoredResponse?)?

    /// Creates traits.
    ///
    /// - Parameters:
    ///   - slots: The limit on concurrent exchanges per host.
    ///   - sendsLiveBodies: Whether the transport can send a live ``StreamBody`` while it is made.
    ///   - upgradesConnections: Whether the transport can switch a connection to another protocol.
    ///   - dataTaskTransport: The transport that returns data tasks.
    public init(
        slots: HostSlots? = nil, sendsLiveBodies: Bool = false, upgradesConnections: Bool = false,
        dataTaskTransport: URLSessionTransport? = nil
    ) {
        self.slots = slots
        self.sendsLiveBodies = sendsLiveBodies
        self.upgradesConnections = upgradesConnections
        self.dataTaskTransport = dataTaskTransport
    }
}
