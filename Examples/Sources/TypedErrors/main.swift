// A client of a record store: an enum of endpoints, and an error type of the domain.
// Start the server with `python3 Scripts/servers/store-server.py`, then type `swift run TypedErrors`.
import RecordKit
import RecordKitInterceptors

struct Record: Decodable {
    var title: String
    var quantity: Int
}

enum StoreError: NetworkFailure {
    case noSuchRecord
    case soldOut
    case network(NetworkError)

    init(_ error: NetworkError) {
        switch error.response?.statusCode {
        case 404: self = .noSuchRecord
        case 409: self = .soldOut
        default: self = .network(error)
        }
    }

    var errorDescription: String? {
        switch self {
        case .noSuchRecord: "The store has no such record."
        case .soldOut: "There is none left."
        case .network(let failure): "\(failure)"
        }
    }
}

/// What the endpoints share.
protocol StoreRequest: NetworkRequest where ErrorType == StoreError {}

enum Records: StoreRequest {
    typealias ValueType = Record

    case fetch(sku: String)

    var path: RequestPath {
        switch self {
        case .fetch(let sku): "records/\(sku)"
        }
    }
}

enum Sales: StoreRequest {
    typealias ValueType = Void

    case sell(sku: String, copies: Int)

    var path: RequestPath {
        switch self {
        case .sell(let sku, _): "records/\(sku)/sales"
        }
    }
    var method: HTTPMethod { .post }
    var body: (any NetworkEncodable)? {
        switch self {
        case .sell(_, let copies): ["copies": copies]
        }
    }
}

let server = CommandLine.arguments.dropFirst().first ?? "http://localhost:8642"
let network = NetworkSession(
    NetworkEnvironment(server), interceptors: [RetryInterceptor(attempts: 3)])
let records = NetworkManager<Records>(network)
let sales = NetworkManager<Sales>(network)

for sku in ["LP-0042", "none"] {
    do {
        let record = try await records.value(for: .fetch(sku: sku))
        print("\(record.title): \(record.quantity) left")
        try await sales.value(for: .sell(sku: sku, copies: record.quantity + 1))
    } catch {
        switch error {
        case .noSuchRecord, .soldOut: print(error.localizedDescription)
        case .network(let failure): print(failure)
        }
    }
}
