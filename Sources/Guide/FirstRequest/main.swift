import RecordKit

nonisolated struct Record: Decodable {
    var title: String
    var quantity: Int
}

struct RecordRequest: NetworkRequest {
    typealias ValueType = Record

    let sku: String

    var path: RequestPath { "records/\(sku)" }
}

let server = CommandLine.arguments.dropFirst().first
let network = NetworkSession(
    NetworkEnvironment(server ?? "http://localhost:8642"))

do {
    let record = try await network.value(for: RecordRequest(sku: "LP-0042"))
    print("\(record.title): \(record.quantity) left")
} catch {
    switch error {
    case .status(let response): print("The status is \(response.statusCode).")
    default: print(error)
    }
}
