import RecordKitTesting

extension StubServer {
    /// Creates a server with a manual clock and responses to `/ask`.
    convenience init(_ clock: ManualClock, _ answers: StubResponse...) {
        self.init(clock: clock.networkClock)
        respond(to: "/ask", with: answers)
    }
}
