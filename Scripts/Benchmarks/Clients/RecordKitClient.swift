import Foundation
import RecordKit

/// The same as an app writes it with RecordKit.
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
    func upload(_ file: URL) async throws { try await nothing.value(for: .upload(file)) }
}

/// The endpoints, by what they answer.
enum ListingService {
    protocol Endpoint: NetworkRequest where ErrorType == NetworkError {}

    enum One: Endpoint {
        typealias ValueType = Listing

        case fetch(sku: String)
        case create(Listing)

        var path: RequestPath {
            switch self {
            case .fetch(let sku): "records/\(sku)"
            case .create: "records"
            }
        }

        var method: HTTPMethod {
            switch self {
            case .fetch: .get
            case .create: .post
            }
        }

        var body: (any NetworkEncodable)? {
            switch self {
            case .fetch: nil
            case .create(let listing): listing
            }
        }
    }

    enum Many: Endpoint {
        typealias ValueType = [Listing]

        case all

        var path: RequestPath { "records/all" }
    }

    enum Nothing: Endpoint {
        typealias ValueType = Void

        case upload(URL)

        var path: RequestPath { "uploads" }
        var method: HTTPMethod { .post }

        var body: (any NetworkEncodable)? {
            switch self {
            case .upload(let file): FileBody(file)
            }
        }
    }
}
