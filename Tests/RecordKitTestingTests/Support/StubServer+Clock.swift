import RecordKitTesting

extension StubServer {
    /// A server by a manual clock, with these answers to `/ask`.
    convenience init(_ clock: ManualClock, _ answers: StubAnswer...) {
        self.init(clock: clock.networkClock)
        answer("/ask", with: answers)
    }
}
