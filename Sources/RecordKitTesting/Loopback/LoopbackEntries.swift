/// What a server has seen.
struct LoopbackEntries: JournalEntries {
    var heads: [LoopbackRequest] = []
    var requests: [LoopbackRequest] = []
    var connectionCount = 0
    var endedConnections: Set<Int> = []

    var received: [String] {
        requests.map(\.description)
    }
}
