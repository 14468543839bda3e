import Foundation

extension Workload {
    /// The cost of a client itself, without a network.
    static let stub = Workload(
        name: "stub", title: "GET of 1 KB, answered in the process", count: 5_000, quickCount: 20,
        instructionCount: 2_000
    ) {
        ListingClients(StubProtocol.url, protocols: [StubProtocol.self]).doing { _ = try await $0.fetch() }
    }
}
