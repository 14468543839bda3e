import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting

/// The snippets of the first page of RecordKit's guide, which declares a domain of its own.
enum GuideExamples {
    nonisolated struct Record: Codable, NetworkEncodable {
        var sku: String
        var title: String
        var quantity: Int
    }

    enum RecordRequest: NetworkRequest {
        typealias ValueType = Record
        typealias ErrorType = InventoryError

        case fetch(sku: String)
        case create(Record)

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
            case .create(let record): record
            }
        }
    }

    enum RecordList: NetworkRequest {
        typealias ValueType = [Record]

        case all

        var path: RequestPath { "records" }
    }

    struct Pressing: Codable, NetworkEncodable {
        var releaseDate: Date
    }

    struct PressingRequest: StoreRequest {
        typealias ValueType = Pressing

        let pressing: Pressing

        var path: RequestPath { "pressings" }
        var method: HTTPMethod { .post }
        var body: (any NetworkEncodable)? { pressing }
    }

    struct FilteredRequest: NetworkRequest {
        typealias ValueType = [Record]

        let folders: [String]
        let sku: String
        let filters: [String: String]

        var path: RequestPath { RequestPath(segments: folders + [sku]) }
        var query: RequestQuery { RequestQuery(encoding: filters) }
    }

    enum RecordSearch: NetworkRequest {
        typealias ValueType = [Record]

        case search(artist: String, title: String?, page: Int)

        var path: RequestPath {
            switch self {
            case .search(let artist, _, _): "artists/\(artist)/records"
            }
        }

        var query: RequestQuery {
            switch self {
            case .search(_, let title, let page):
                ["title": title, "page": page, "sort": ["year", "-price"]]
            }
        }
    }

    enum RecordUpdate: NetworkRequest {
        typealias ValueType = Void

        case save(Record)
        case setQuantity(sku: String, Int)

        var path: RequestPath {
            switch self {
            case .save(let record): "records/\(record.sku)"
            case .setQuantity(let sku, _): "records/\(sku)"
            }
        }

        var method: HTTPMethod {
            switch self {
            case .save: .put
            case .setQuantity: .patch
            }
        }

        var body: (any NetworkEncodable)? {
            switch self {
            case .save(let record): record
            case .setQuantity(_, let quantity): ["quantity": quantity]
            }
        }
    }

    enum Upload: NetworkRequest {
        typealias ValueType = Void

        case signUp(name: String, password: String)
        case cover(caption: String, file: URL, thumbnail: Data)
        case recording(file: URL)

        var path: RequestPath { "uploads" }
        var method: HTTPMethod { .post }

        var body: (any NetworkEncodable)? {
            switch self {
            case .signUp(let name, let password):
                FormBody(["name": name, "password": password])
            case .cover(let caption, let file, let thumbnail):
                MultipartBody([
                    .text("caption", caption),
                    .file("cover", file, contentType: "image/jpeg"),
                    .data(
                        "thumbnail", thumbnail, fileName: "thumbnail.jpg",
                        contentType: "image/jpeg"),
                ])
            case .recording(let file): FileBody(file, contentType: "audio/flac")
            }
        }
    }

    struct Translated: NetworkRequest {
        typealias ValueType = Record

        let version: String?

        var path: RequestPath { "records/LP-0042" }
        var headers: HTTPHeaders { ["Accept-Language": "is", "If-Match": version] }
    }

    enum InventoryError: NetworkFailure {
        case notFound
        case conflict(Record?)
        case network(NetworkError)

        init(_ error: NetworkError) {
            switch error.response?.statusCode {
            case 404: self = .notFound
            case 409:
                self = .conflict(try? error.response?.value(as: Record.self))
            default: self = .network(error)
            }
        }
    }

    @MainActor
    final class RecordModel {
        private let records: NetworkManager<RecordRequest>
        private var task: NetworkTask?
        private(set) var record: Record?
        private(set) var error: InventoryError?

        init(_ network: NetworkConfiguration) {
            records = NetworkManager(network)
        }

        func load(sku: String) {
            task?.cancel()
            task = records.send(.fetch(sku: sku), on: MainActor.self) {
                [weak self] result in
                switch result {
                case .success(let record): self?.record = record
                case .failure(.network(.cancelled)): break
                case .failure(let error): self?.error = error
                }
            }
        }
    }

    struct Inventory {
        let network: any NetworkClient

        func title(of sku: String) async throws(InventoryError) -> String {
            try await network.value(for: RecordRequest.fetch(sku: sku)).title
        }
    }
}

protocol StoreRequest: NetworkRequest where ErrorType == InventoryError {}

extension StoreRequest {
    var decoder: any NetworkDecoder { JSONDecoder.store }

    var encoder: any NetworkEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }
}

extension JSONDecoder {
    static var store: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}

extension NetworkConfiguration {
    static var preview: NetworkConfiguration {
        let stub = StubServer()
        stub.respond(
            to: "GET /records/*",
            with: .json(
                #"{"sku": "LP-0042", "title": "Blue", "quantity": 3}"#))
        return stub.configuration
    }
}

/// The snippets of the first page that are the body of a function. Those that call a server are compiled only.
extension GuideExamples {
    static func values() async throws {
        let network = NetworkSession(environment: .production)
        let record = try await network.value(for: RecordRequest.fetch(sku: "LP-0042"))
        let created = try await network.value(
            for: RecordRequest.create(
                Record(sku: "LP-0043", title: "Hejira", quantity: 2)))

        show(record)
        show(created)
    }

    static func credential(_ token: String) -> NetworkConfiguration {
        let configuration = NetworkConfiguration(
            environment: .production,
            interceptors: [
                AuthorizationInterceptor(.bearer(token), for: "https://store.example")
            ],
            headers: ["X-Client": "till-7"])

        return configuration
    }

    static func credential(_ key: String, for server: String) -> NetworkConfiguration {
        let configuration = NetworkConfiguration(
            environment: NetworkEnvironment(server),
            interceptors: [
                AuthorizationInterceptor(
                    .header("X-API-Key", key), for: .origin(server))
            ])

        return configuration
    }

    static func errors(_ network: NetworkSession, sku: String) async {
        do {
            let record = try await network.value(for: RecordRequest.fetch(sku: sku))
            show(record)
        } catch {
            switch error {
            case .notFound: showMessage("There is no \(sku).")
            case .conflict: showMessage("The record has changed.")
            case .network(.cancelled): break
            case .network(.connection(let failure)): showMessage("\(failure)")
            case .network(.timedOut): showMessage("The server took too long.")
            case .network(.status(let response)):
                showMessage("The server responded with \(response.statusCode).")
            case .network(let failure): showMessage("\(failure)")
            }
        }
    }

    static func task(_ network: NetworkSession, sku: String) async {
        let task = Task { await network.result(for: RecordRequest.fetch(sku: sku)) }
        switch await task.value {
        case .success(let record): show(record)
        case .failure(.notFound): showMessage("There is no \(sku).")
        case .failure(let error): showMessage("\(error)")
        }
    }

    static func inBackground(
        _ records: NetworkManager<RecordRequest>, sku: String, save: @escaping @Sendable (Record) -> Void
    ) {
        records.send(.fetch(sku: sku)) { result in
            if case .success(let record) = result { save(record) }
        }
    }

    static func retries() -> NetworkConfiguration {
        let configuration = NetworkConfiguration(
            environment: .production, interceptors: [RetryInterceptor(attempts: 3)])

        return configuration
    }

    static func limits() -> NetworkConfiguration {
        let options = RequestOptions(timeout: .seconds(10), deadline: .seconds(30))
        let configuration = NetworkConfiguration(
            environment: .production, options: options)

        return configuration
    }

    static func cancel(_ network: NetworkSession, sku: String) {
        let task = Task { await network.result(for: RecordRequest.fetch(sku: sku)) }
        task.cancel()
        network.cancelAll()
    }

    static func logs(sku: String) throws -> NetworkConfiguration {
        let configuration = NetworkConfiguration(
            environment: .production,
            interceptors: [LoggingInterceptor(level: .debug)])
        print(try RecordRequest.fetch(sku: sku).call(in: .production).curl)

        return configuration
    }

    private static func show(_ record: Record) {}
    private static func showMessage(_ message: String) {}
}
