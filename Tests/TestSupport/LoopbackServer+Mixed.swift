public import RecordKitTesting

extension LoopbackServer {
    /// Starts a server that sends responses of all kinds, according to the number in the query: `fine`, 20 KB in
    /// chunks, a redirect to `there`, and `late`.
    public static func mixed() throws -> LoopbackServer {
        try LoopbackServer { request in
            switch (Int(request.target.split(separator: "=").last ?? "") ?? 0) % 4 {
            case 0: .text("fine")
            case 1: StubResponse(Array(repeating: String(repeating: "x", count: 5_000), count: 4).map { .chunk($0) })
            case 2: request.path == "/ask" ? .redirect(to: "/there?n=2") : .text("there")
            default: .text("late").after(.delay(.milliseconds(1)))
            }
        }
    }
}
