import Foundation
import RecordKit
import RecordKitCache
import RecordKitCacheDisk
import RecordKitInterceptors

// The snippets of the article on third-party APIs.

enum ThirdParty {
    struct ReleaseList: Decodable {
        let releases: [Release]
    }

    struct Release: Decodable {
        let title: String
        let date: String?
    }

    enum ReleaseError: NetworkFailure {
        case busy(after: String?)
        case network(NetworkError)

        init(_ error: NetworkError) {
            if case .status(let response) = error, response.statusCode == 503 {
                self = .busy(after: response.headers["Retry-After"])
            } else {
                self = .network(error)
            }
        }
    }

    enum ReleaseService: NetworkRequest {
        typealias ValueType = ReleaseList
        typealias ErrorType = ReleaseError

        case search(barcode: String)

        var path: RequestPath { "release/" }

        var query: RequestQuery {
            switch self {
            case .search(let barcode):
                ["query": "barcode:\(barcode)", "fmt": "json"]
            }
        }
    }

    /// - Parameter folder: The folder of the responses.
    static func session(
        _ folder: URL, over transport: any NetworkTransport
    ) -> (session: NetworkSession, store: DiskCacheStore) {
        let store = DiskCacheStore(folder: folder)
        let musicBrainz = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment("https://musicbrainz.org/ws/2"),
                transport: HTTPCache(store: store).transport(transport),
                interceptors: [
                    RetryInterceptor(backoff: Backoff(longestWait: .seconds(10))),
                    RateLimitInterceptor(1, burst: 1),
                ],
                headers: ["User-Agent": "Shop/1.0 ( https://shop.example )"]))
        return (musicBrainz, store)
    }

    static func titles(of barcode: String, at musicBrainz: NetworkSession) async -> String {
        do throws(ReleaseError) {
            let list = try await musicBrainz.value(
                for: ReleaseService.search(barcode: barcode)
            ) {
                $0.options.cache = .cacheFirst
            }
            return list.releases.map(\.title).joined(separator: "\n")
        } catch {
            switch error {
            case .busy(let after): return "Try again in \(after ?? "some") s."
            case .network(let failure): return "\(failure)"
            }
        }
    }

    struct PacedTransport: NetworkTransport {
        let transport: any NetworkTransport
        let waitForTurn: @Sendable () async -> Void

        var traits: TransportTraits { transport.traits }

        func exchange(
            _ call: NetworkCall
        ) async throws(NetworkError) -> NetworkResponse {
            await waitForTurn()
            return try await transport.exchange(call)
        }
    }
}
