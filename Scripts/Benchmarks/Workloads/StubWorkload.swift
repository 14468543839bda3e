import Foundation
import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Workload {
    /// No network at all: what a client itself costs.
    static let stub = Workload(
        name: "stub", title: "GET of 1 KB, answered in the process", count: 5_000, quickCount: 20,
        instructionCount: 2_000
    ) {
        let (url, stub) = (URL(string: "http://store.example/v1/records/LP-0042"), [StubProtocol.self])
        guard let url else { throw WrongAnswer("no URL") }
        let raw = RawSession(.default(protocols: stub))
        let rawWithOurs = RawSession(.ours(protocols: stub))
        let delegate = DelegateSession(.ours(protocols: stub))
        let recordKit = NetworkManager<ListingService.One>(
            NetworkConfiguration(
                environment: NetworkEnvironment("http://store.example/v1"),
                transport: URLSessionTransport(.ours(protocols: stub))))
        return [
            Client("raw", isReference: true) { _ = try await raw.value(Listing.self, for: URLRequest(url: url)) },
            Client("raw-ours", isReference: true) {
                _ = try await rawWithOurs.value(Listing.self, for: URLRequest(url: url))
            },
            Client("delegate-ours", isReference: true) {
                _ = try await delegate.value(Listing.self, for: URLRequest(url: url))
            },
            Client("RecordKit") { _ = try await recordKit.value(for: .fetch(sku: "LP-0042")) },
        ]
    }
}
