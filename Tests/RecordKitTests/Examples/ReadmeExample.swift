import RecordKit

nonisolated struct Record: Decodable {
    var title: String
    var quantity: Int
}

enum RecordRequest: NetworkRequest {
    typealias ValueType = Record

    case fetch(sku: String), newest

    var path: RequestPath {
        switch self {
        case .fetch(let sku): "records/\(sku)"
        case .newest: "records/newest"
        }
    }
}

func printStock(_ network: NetworkSession) async throws {
    let record = try await network.value(for: RecordRequest.fetch(sku: "LP-0042"))
    print("\(record.title): \(record.quantity) left")
}

enum SaleError: NetworkFailure {
    case soldOut, network(NetworkError)

    init(_ error: NetworkError) {
        self = error.response?.statusCode == 409 ? .soldOut : .network(error)
    }
}

struct Sale: NetworkRequest {
    typealias ValueType = Void
    typealias ErrorType = SaleError

    let sku: String
    let copies: Int

    var path: RequestPath { "records/\(sku)/sales" }
    var method: HTTPMethod { .post }
    var body: [String: Int] { ["copies": copies] }
}

func sellOne(_ network: NetworkSession) async {
    do {
        try await network.value(for: Sale(sku: "LP-0042", copies: 1))
    } catch {
        switch error {
        case .soldOut: print("There is none left.")
        case .network(let failure): print(failure)
        }
    }
}
