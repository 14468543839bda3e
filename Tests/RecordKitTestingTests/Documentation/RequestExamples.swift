import Foundation
import RecordKit
import RecordKitTemplates

// The snippets of the articles on grouping endpoints, paths and query parameters, request bodies, and templates.

protocol InventoryEndpoint: NetworkRequest where ErrorType == InventoryError {
}

extension InventoryEndpoint {
    var baseURL: String { "collections/records" }

    var decoder: any NetworkDecoder { JSONDecoder.inventory }
}

extension JSONDecoder {
    static var inventory: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}

extension NetworkRequest where Self == Endpoint<Record, InventoryError> {
    static func record(_ sku: String) -> Self {
        Endpoint(path: "records/\(sku)")
    }
}

extension NetworkEnvironment {
    static let production = NetworkEnvironment(
        host: "store.example", version: "v1")
    static let staging = NetworkEnvironment(
        host: "staging.store.example", port: 8443, pathPrefix: "api",
        version: "v2")
    static let local = NetworkEnvironment("http://localhost:8080/v1")
}

enum RecordService {
    enum One: NetworkRequest {
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

    enum Many: NetworkRequest {
        typealias ValueType = [Record]
        typealias ErrorType = InventoryError

        case list

        var path: RequestPath { "records" }
    }

    enum Nothing: NetworkRequest {
        typealias ValueType = Void
        typealias ErrorType = InventoryError

        case delete(sku: String)

        var path: RequestPath {
            switch self {
            case .delete(let sku): "records/\(sku)"
            }
        }

        var method: HTTPMethod { .delete }
    }
}

enum GroupingExamples {
    enum Shared: InventoryEndpoint {
        typealias ValueType = Record?

        case find(sku: String)

        var path: RequestPath {
            switch self {
            case .find(let sku): "\(sku)"
            }
        }

        func handleError(_ error: NetworkError) -> Result<Record?, InventoryError> {
            error.response?.statusCode == 404
                ? .success(nil) : .failure(InventoryError(error))
        }
    }

    struct Label: NetworkRequest {
        typealias ValueType = Void

        let sku: String
        let text: String

        var path: RequestPath { "records/\(sku)/label" }
        var method: HTTPMethod { .put }
        var query: RequestQuery { ["size": "small"] }
        var headers: HTTPHeaders { ["Prefer": "return=minimal"] }
        var body: String { text }
    }

    nonisolated struct Album: Codable, NetworkEncodable {
        var title: String
    }

    nonisolated enum AlbumRequest: NetworkRequest {
        typealias ValueType = Album

        case fetch(id: Int)

        var path: RequestPath {
            switch self {
            case .fetch(let id): "albums/\(id)"
            }
        }
    }

    static func endpoint(_ network: NetworkSession) async throws(InventoryError) -> Record {
        let record = try await network.value(for: .record("LP-0042"))

        return record
    }
}

enum QueryExamples {
    enum Search: NetworkRequest {
        typealias ValueType = [Record]

        case list(title: String?, formats: [String])
        case byArtist(String)

        var path: RequestPath {
            switch self {
            case .list: "records"
            case .byArtist(let name): "artists/\(name)/records"
            }
        }

        var query: RequestQuery {
            switch self {
            case .list(let title, let formats):
                ["title": title, "format": formats, "_sort": "-price"]
            case .byArtist: [:]
            }
        }
    }

    struct Keyed: NetworkRequest {
        typealias ValueType = Data

        let key: String

        var path: RequestPath { "records" }
        var query: RequestQuery { (["k": key] as RequestQuery).markingSensitive("k") }
    }

    struct Filter: Encodable, Sendable {
        var maximumPrice: Double?
    }

    enum Encoded: NetworkRequest {
        typealias ValueType = [Record]

        case filtered(Filter)
        case since(Date, formats: [String])

        static let encoder = QueryEncoder(
            arrays: .brackets, dates: .secondsSince1970, keys: .snakeCase)

        var query: RequestQuery {
            switch self {
            case .filtered(let filter):
                RequestQuery(encoding: filter, using: Self.encoder)
            case .since(let date, let formats):
                RequestQuery(["format": formats, "since": date], using: Self.encoder)
            }
        }

        var path: RequestPath { "records" }
    }

    enum Link: NetworkRequest {
        typealias ValueType = Data

        case follow(URL)

        var baseURL: String {
            switch self {
            case .follow(let url): url.absoluteString
            }
        }

        var path: RequestPath { "" }
    }

    static func environments(_ name: String) -> [NetworkConfiguration] {
        let configuration = NetworkConfiguration(environment: .staging)
        let tenant = NetworkConfiguration(
            environment: .staging.appending("tenants/\(name)"))

        return [configuration, tenant]
    }
}

enum BodyExamples {
    enum Send: NetworkRequest {
        typealias ValueType = Void

        case create(Record)
        case logIn(name: String, password: String)
        case addCover(caption: String, file: URL)
        case upload(file: URL)

        var path: RequestPath { "uploads" }
        var method: HTTPMethod { .post }

        var body: (any NetworkEncodable)? {
            switch self {
            case .create(let record): record
            case .logIn(let name, let password):
                FormBody(["username": name, "password": password])
            case .addCover(let caption, let file):
                MultipartBody([
                    .text("caption", caption),
                    .file("cover", file, contentType: "image/jpeg"),
                ])
            case .upload(let file): FileBody(file, contentType: "audio/flac")
            }
        }

        var encoder: any NetworkEncoder {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            return encoder
        }
    }

    enum Repeatable {
        static let encoder: JSONEncoder = {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            encoder.dateEncodingStrategy = .custom { date, encoder in
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                var container = encoder.singleValueContainer()
                try container.encode(date.formatted(style))
            }
            return encoder
        }()
    }

    static func form(_ name: String, _ password: String) -> FormBody {
        let fields = ["username": name, "password": password]
        let form = FormBody(RequestQuery(encoding: fields))
        return form
    }

    enum Backup: NetworkRequest {
        typealias ValueType = Void

        case upload(StreamBody)

        var path: RequestPath { "backups" }
        var method: HTTPMethod { .post }

        var body: (any NetworkEncodable)? {
            switch self {
            case .upload(let stream): stream
            }
        }
    }

    struct Ticket: NetworkEncodable {
        let take: @Sendable () throws -> Data

        func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
            EncodedBody(
                .data(try take()), contentType: "text/plain",
                canBeSentAgain: false)
        }
    }

    static func progress(_ network: NetworkSession, _ stream: StreamBody) async throws(NetworkError) {
        try await network.value(for: Backup.upload(stream)) { call in
            call.onProgress = { progress in
                if progress.phase == .sending {
                    print(progress.bytes, progress.timeLeft ?? .zero)
                }
            }
        }
    }

    static func stream(_ network: NetworkSession, _ chunks: AsyncStream<Data>) async throws(NetworkError) {
        try await network.value(
            for: Backup.upload(StreamBody(chunks, contentType: "application/x-tar")))
    }
}

enum TemplateExamples {
    enum ReleaseSearch: NetworkRequest {
        typealias ValueType = [Record]

        case releases(artist: String, format: String?, page: Int?)

        static let route: RouteTemplate =
            "artists/{artist}/releases{/format}{?page,sort*}"

        var values: RouteTemplate.Values {
            switch self {
            case .releases(let artist, let format, let page):
                [
                    "artist": artist, "format": format, "page": page,
                    "sort": ["year", "-price"],
                ]
            }
        }

        var path: RequestPath { Self.route.path(values) }
        var query: RequestQuery { Self.route.query(values) }
    }

    static func link() throws -> String {
        let link = try RouteTemplate("records{?title}").expanded(with: [
            "title": "Kind of Blue"
        ])

        return link
    }
}
