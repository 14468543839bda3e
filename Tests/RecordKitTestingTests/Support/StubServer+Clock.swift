import RecordKitTesting

extension StubServer {
    /// Creates a server with a manual clock and responses to `/ask`.
    convenience init(_ clock: ManualClock, _ answers: StubResponse...) {
        self.init(clock: clock.networkClock)
        respond(to: "/ask", with: answers)
    }

    /// Creates a server with responses to any request.
    convenience init(responses: [StubResponse]) {
        self.init()
        respond(to: "**", with: responses)
    }

    /// Creates a server with one response to any request.
    convenience init(_ answer: @escaping @Sendable (StubRequest) throws -> StubResponse) {
        self.init()
        respond(to: "**", with: answer)
    }
}
