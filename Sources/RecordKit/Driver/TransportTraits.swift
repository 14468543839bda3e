/// What the library needs of a transport.
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
    public var dataTasks: (any DataTaskTransport)?
    /// The store of responses. `nil`, the default, if the transport stores none.
    public var store: (any ResponseStore)?

    /// Creates traits.
    ///
    /// - Parameters:
    ///   - slots: The limit on concurrent exchanges per host.
    ///   - sendsLiveBodies: Whether the transport can send a live ``StreamBody`` while it is made.
    ///   - upgradesConnections: Whether the transport can switch a connection to another protocol.
    ///   - dataTasks: The transport that returns data tasks.
    ///   - store: The store of responses.
    public init(
        slots: HostSlots? = nil, sendsLiveBodies: Bool = false, upgradesConnections: Bool = false,
        dataTasks: (any DataTaskTransport)? = nil, store: (any ResponseStore)? = nil
    ) {
        self.slots = slots
        self.sendsLiveBodies = sendsLiveBodies
        self.upgradesConnections = upgradesConnections
        self.dataTasks = dataTasks
        self.store = store
    }
}

/// A transport whose exchanges are data tasks: ``URLSessionTransport``, the only one.
public protocol DataTaskTransport: NetworkTransport {}

/// A store of responses, which a transport uses in place of exchanges.
public protocol ResponseStore: Sendable {
    /// Returns a stored response in place of an exchange, or `nil` to send the call, or to end it with its error.
    ///
    /// It is called before the call takes a slot and starts its timer, and again after an exchange has failed or
    /// exceeded its timeout. The response counts neither as sent nor as received, and its `Set-Cookie` isn't read
    /// again. Its body is data.
    ///
    /// - Parameters:
    ///   - call: The call, with the cookies that would be sent. An option that is set in it is handed on to `exchange`,
    ///     unless a transport around this one changes the call.
    ///   - error: The error of the exchange that has failed. `nil` before the exchange.
    /// - Returns: The stored response.
    /// - Throws: An error that ends the call.
    func response(for call: inout NetworkCall, after error: NetworkError?) async throws(NetworkError) -> StoredResponse?
}
