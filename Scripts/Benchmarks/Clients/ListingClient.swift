import Foundation
import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the workloads ask of a server, in each client's way.
protocol ListingClient: Sendable {
    /// GET of 1 KB.
    func fetch() async throws -> Listing
    /// GET of a long list.
    func fetchAll() async throws -> [Listing]
    /// POST of 1 KB, answered with as much.
    func create(_ listing: Listing) async throws -> Listing
    /// POST of a file.
    func upload(_ file: URL) async throws
}

/// The clients that are compared: three by hand, and RecordKit.
struct ListingClients: Sendable {
    private let server: NginxServer?
    private let clients: [(name: String, isReference: Bool, client: any ListingClient)]

    /// Their server ends with them.
    init(_ server: NginxServer) {
        self.init(server.url, server: server)
    }

    /// - Parameter protocols: what answers in the place of the network.
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

    /// Each of them doing the same again and again.
    func doing(_ work: @escaping @Sendable (any ListingClient) async throws -> Void) -> [Client] {
        clients.map { name, isReference, client in
            Client(name, isReference: isReference, holding: server) { try await work(client) }
        }
    }

    /// Each of them measured in a way of its own.
    func measured(by turn: @escaping @Sendable (any ListingClient, Int) async throws -> Double) -> [Client] {
        clients.map { name, isReference, client in
            Client(name, isReference: isReference, holding: server, turn: { try await turn(client, $0) })
        }
    }
}
