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
    /// Returns a stored response in place of an exchange. `nil`, the default, if the transport stores none.
    public var storedResponse: StoredResponse.LookUp?

    /// Creates traits.
    ///
    /// - Parameters:
    ///   - slots: The limit on concurrent exchanges per host.
    ///   - sendsLiveBodies: Whether the transport can send a live ``StreamBody`` while it is made.
    ///   - upgradesConnections: Whether the transport can switch a connection to another protocol.
    ///   - dataTaskTransport: The transport that returns data tasks.
    ///   - storedResponse: Returns a stored response in place of an exchange.
    public init(
        slots: HostSlots? = nil, sendsLiveBodies: Bool = false, upgradesConnections: Bool = false,
        dataTaskTransport: URLSessionTransport? = nil, storedResponse: StoredResponse.LookUp? = nil
    ) {
        self.slots = slots
        self.sendsLiveBodies = sendsLiveBodies
        self.upgradesConnections = upgradesConnections
        self.dataTaskTransport = dataTaskTransport
        self.storedResponse = storedResponse
    }
}
