import Foundation
import RecordKit
import RecordKitStreaming

/// The same client, written with RecordKit.
struct RecordKitClient: ListingClient {
    private let one: NetworkManager<ListingService.One>
    private let many: NetworkManager<ListingService.Many>
    private let nothing: NetworkManager<ListingService.Nothing>

    init(_ url: URL, _ transport: any NetworkTransport, interceptors: [any NetworkInterceptor] = []) {
        let network = NetworkConfiguration(
            environment: NetworkEnvironment(url.absoluteString), transport: transport, interceptors: interceptors)
        one = NetworkManager(network)
        many = NetworkManager(network)
        nothing = NetworkManager(network)
    }

    func fetch() async throws -> Listing { try await one.value(for: .fetch(sku: "LP-0042")) }
    func fetchAll() async throws -> [Listing] { try await many.value(for: .all) }
    func create(_ listing: Listing) async throws -> Listing { try await one.value(for: .create(listing)) }
    func download(to file: URL) async throws { _ = try await nothing.download(.file, to: file) }
    func upload(_ file: URL) async throws { try await nothing.value(for: .upload(file)) }
}
