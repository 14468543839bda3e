import Foundation
import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The requests of the workloads, sent by each client in its own way.
protocol ListingClient: Sendable {
    /// GET with a response of 1 KB.
    func fetch() async throws -> Listing
    /// GET with a long list as the response.
    func fetchAll() async throws -> [Listing]
    /// POST of 1 KB, with a response of 1 KB.
    func create(_ listing: Listing) async throws -> Listing
    /// POST of a file.
    func upload(_ file: URL) async throws
    /// GET with a file as the response, which replaces another file.
    func download(to file: URL) async throws
}

/// The compared clients: three written by hand, and RecordKit.
struct ListingClients: Sendable {
    private let server: NginxServer?
    private let clients: [(name: String, isReference: Bool, client: any ListingClient)]

    /// The server, which is stopped with these clients.
    init(_ server: NginxServer) {
        self.init(server.url, server: server)
    }

    /// - Parameter protocols: The protocols that respond in place of the network.
    init(_ url: URL, protocols: [AnyClass]? = nil, server: NginxServer? = nil) {
        self.server = server
        func ours() -> URLSessionConfiguration { .ours(protocols: protocols) }
        clients = [
            ("raw", true, RawClient(url, .default(protocols: protocols))),
            ("raw-ours", true, RawClient(url, ours())),
            ("delegate-ours", true, DelegateClient(url, ours())),
            ("RecordKit", false, RecordKitClient(url, URLSessionTransport(ours()))),
        ]
    }

    /// Returns clients that all repeat the same operation.
    func doing(_ work: @escaping @Sendable (any ListingClient) async throws -> Void) -> [Client] {
        clients.map { name, isReference, client in
            Client(name, isReference: isReference, holding: server) { try await work(client) }
        }
    }

    /// Returns clients whose operations are measured separately.
    func measured(by turn: @escaping @Sendable (any ListingClient, Int) async throws -> Double) -> [Client] {
        clients.map { name, isReference, client in
            Client(name, isReference: isReference, holding: server, turn: { try await turn(client, $0) })
        }
    }
}
