extension LoopbackServer {
    /// The request with this index in `requests`, as soon as it has arrived whole.
    ///
    /// - Throws: `.timedOut` if it does not come within the limit, `.stopped` or `.cancelled` if that happens first.
    public func request(
        at index: Int, within limit: Duration = .seconds(30)
    ) async throws(WaitingError) -> LoopbackRequest {
        try await journal.entries("request \(index)", within: limit) { $0.requests.indices.contains(index) }
            .requests[index]
    }

    /// The request whose head was received as number `index`, counted from 0, as soon as that head has arrived. It has
    /// no body; its body may still be under way, or never come.
    ///
    /// - Throws: as `request(at:within:)`.
    public func head(
        at index: Int, within limit: Duration = .seconds(30)
    ) async throws(WaitingError) -> LoopbackRequest {
        try await journal.entries("the head of request \(index)", within: limit) { $0.heads.indices.contains(index) }
            .heads[index]
    }

    /// Returns once the connection with this number has ended, whoever ended it.
    ///
    /// - Throws: as `request(at:within:)`.
    public func disconnection(
        of connection: Int, within limit: Duration = .seconds(30)
    ) async throws(WaitingError) {
        _ = try await journal.entries("the end of connection \(connection)", within: limit) {
            $0.endedConnections.contains(connection)
        }
    }
}
