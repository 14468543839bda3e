import RecordKit

nonisolated struct Record: Codable, NetworkEncodable {
    var sku, title: String
    var quantity: Int
}

enum InventoryError: NetworkFailure {
    case notFound, network(NetworkError)

    init(_ error: NetworkError) {
        self = error.response?.statusCode == 404 ? .notFound : .network(error)
    }
}

enum RecordRequest: NetworkRequest {
    typealias ValueType = Record
    typealias ErrorType = InventoryError

    case fetch(sku: String), create(Record)

    var path: RequestPath {
        if case .fetch(let sku) = self { "records/\(sku)" } else { "records" }
    }
    var method: HTTPMethod { if case .create = self { .post } else { .get } }
    var body: (any NetworkEncodable)? {
        if case .create(let record) = self { record } else { nil }
    }
}

func printTitle(of sku: String, at server: NetworkEnvironment) async {
    let records = NetworkManager<RecordRequest>(NetworkConfiguration(environment: server))
    do {
        print(try await records.value(for: .fetch(sku: sku)).title)
    } catch {
        switch error {
        case .notFound: print("There is no \(sku).")
        case .network(let failure): print(failure)
        }
    }
}
