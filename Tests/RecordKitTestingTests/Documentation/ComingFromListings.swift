import Foundation
import RecordKit
import RecordKitInterceptors

// The whole listings of the pages for newcomers from another library.

enum ComingFromMoyaExample {
    enum Store {
        enum One: NetworkRequest {
            typealias ValueType = Record

            case record(sku: String)
            case create(Record)

            var path: RequestPath {
                switch self {
                case .record(let sku): "records/\(sku)"
                case .create: "records"
                }
            }

            var method: HTTPMethod {
                switch self {
                case .record: .get
                case .create: .post
                }
            }

            var body: (any NetworkEncodable)? {
                switch self {
                case .record: nil
                case .create(let record): record
                }
            }
        }

        struct Search: NetworkRequest {
            typealias ValueType = [Record]

            let artist: String
            let page: Int

            var path: RequestPath { "records" }
            var query: RequestQuery { ["artist": artist, "page": page] }
        }

        struct Delete: NetworkRequest {
            typealias ValueType = Void

            let sku: String

            var path: RequestPath { "records/\(sku)" }
            var method: HTTPMethod { .delete }
        }
    }

    static func fetch(_ token: String) async throws -> Record {
        let network = NetworkSession(
            environment: "https://store.example/v1",
            interceptors: [
                AuthorizationInterceptor(.bearer(token), for: "https://store.example")
            ])
        let record = try await network.value(for: Store.One.record(sku: "LP-0042"))
        return record
    }
}

struct SignedOut: Error {}

nonisolated struct NewToken: Decodable {
    var accessToken: String

    enum CodingKeys: String, CodingKey { case accessToken = "access_token" }
}

func refreshed(_ ended: TokenSet?) async throws -> TokenSet {
    guard let refresh = ended?.refreshToken else { throw SignedOut() }
    let login = NetworkSession(environment: "https://login.example")
    let new: NewToken = try await login.value(
        for: Endpoint(
            .post, path: "token",
            body: FormBody([
                "grant_type": "refresh_token", "refresh_token": refresh,
            ])))
    return TokenSet(new.accessToken)
}

enum ComingFromAlamofireExample {
    static func fetch(_ sku: String, _ store: any TokenStore) async throws -> Record {
        let tokens = TokenSource(store: store) { try await refreshed($0) }
        let network = NetworkSession(
            environment: "https://store.example/v1",
            interceptors: [
                RetryInterceptor(),
                AuthorizationInterceptor(tokens, for: "https://store.example"),
            ])
        let record: Record = try await network.value(
            for: Endpoint(path: "records/\(sku)"))
        return record
    }
}

enum ComingFromGetExample {
    static func send() async throws {
        func record(_ sku: String) -> Endpoint<Record, NetworkError> {
            Endpoint(path: "records/\(sku)")
        }

        func create(_ record: Record) -> Endpoint<Record, NetworkError> {
            Endpoint(.post, path: "records", body: record)
        }

        let client = NetworkSession(environment: "https://store.example/v1")
        let first = try await client.value(for: record("LP-0042"))
        let reply = try await client.reply(for: create(first))
        print(reply.value.sku, reply.response?.statusCode ?? 0)
    }
}
