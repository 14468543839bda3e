import RecordKitTesting

extension StubServer {
    /// Creates a server with a manual clock and responses to `/ask`.
    convenience init(_ clock: ManualClock, _ answers: StubAnswer...) {
        self.init(clock: clock.networkClock)
        answer("/ask", with: answers)
    }
}
