import Foundation
import RecordKit
import RecordKitCurl
import RecordKitInterceptors
import RecordKitStreaming
import RecordKitTemplates
import RecordKitTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The right-hand sides of the tables in the pages for newcomers from another library.

/// The members of a request.
struct RecordUpdate: NetworkRequest {
    typealias ValueType = Record
    typealias ErrorType = InventoryError

    let sku: String
    let page: Int
    let record: Record

    var path: RequestPath { "records/\(sku)" }
    var method: HTTPMethod { .put }
    var query: RequestQuery { ["page": page] }
    var headers: HTTPHeaders { ["X-Till": "7"] }
    var body: (any NetworkEncodable)? { record }
    var decoder: any NetworkDecoder { JSONDecoder.store }
    var options: RequestOptions { RequestOptions(timeout: .seconds(10)) }
}

enum BodyOfAFormExample: NetworkRequest {
    typealias ValueType = Void
    typealias ErrorType = InventoryError

    case send([MultipartBody.Part])

    var path: RequestPath { "covers" }
    var method: HTTPMethod { .post }
    var body: (any NetworkEncodable)? {
        switch self {
        case .send(let parts): MultipartBody(parts)
        }
    }
}

struct SignInFormExample: NetworkRequest {
    typealias ValueType = Void

    let name: String
    let path: RequestPath = "sessions"
    var method: HTTPMethod { .post }
    var body: (any NetworkEncodable)? { FormBody(["name": name]) }
}

enum ComingFromExamples {
    typealias Pinned = CallExamples.Pinned

    static func send(_ network: NetworkSession, _ sku: String, _ request: RecordUpdate) async throws {
        let record = try await network.value(for: .record(sku))
        let result = await network.result(for: request)
        let reply = try await network.value(for: Endpoint<NetworkResponse, NetworkError>(path: "health"))
        print(reply.statusCode, reply.headers["ETag"] ?? "")
        print(try network.call(for: request).curl)
        print(record, result)
    }

    static func managers(
        _ network: NetworkSession, _ request: RecordUpdate, handle: @escaping @Sendable (Record) -> Void
    ) {
        let records = NetworkManager<RecordUpdate>(network)
        let task = records.send(request) { result in print(result) }
        let dataTask = records.dataTask(for: request) { result in print(result) }
        task.cancel()
        network.cancelAll()
        dataTask?.cancel()
    }

    static func streams(_ network: NetworkSession, _ target: URL) async throws {
        let file = try await network.download(Backup(), to: target)
        for try await chunk in network.chunks(for: Backup()) { print(chunk.count) }
        for try await line in network.lines(for: Backup()) { print(line) }
        print(file.size)
    }

    static func count(_ network: NetworkSession, show: (Bool) -> Void) async {
        for await count in network.activity { show(count > 0) }
    }

    static func interceptors(
        _ configuration: inout NetworkConfiguration, _ tokens: TokenSource, _ token: String,
        _ counter: EventCounter, _ pins: Set<Data>
    ) {
        configuration.interceptors = [
            RetryInterceptor(attempts: 3),
            AuthorizationInterceptor(tokens, for: "https://store.example"),
            AuthorizationInterceptor(.bearer(token), for: "https://store.example"),
            LoggingInterceptor(level: .debug),
        ]
        configuration.observers = [counter]
        configuration.environment = .staging
        configuration.headers = ["X-Till": "7"]
        configuration.completionQueue = .main
        configuration.options.timeout = .seconds(30)
        configuration.options.redirects = .never
        configuration.options.sizeLimit = 1 << 20
        configuration.cookies = .shared
        configuration.transport = URLSessionTransport(tls: Pinned(certificates: pins))
        configuration.transport = CurlTransport()
    }

    static func tests(_ record: Record) throws -> NetworkManager<RecordService.One> {
        let stub = StubServer()
        try stub.respond(to: RecordService.One.fetch(sku: "a"), with: record)
        stub.respond(to: "GET /records/*", with: .status(404))
        let records = NetworkManager<RecordService.One>(stub.configuration)
        return records
    }

    struct Service {
        let network: any NetworkClient
    }

    static func mocks() -> any NetworkTransport {
        let mocks = MockFolder("Fixtures/Mocks", in: .module)
        return mocks
    }

    static func template() -> RouteTemplate {
        let route: RouteTemplate = "movies{?apikey,t}"
        return route
    }
}
