import Foundation
import RecordKit
import RecordKitCache

extension Workload {
    /// The cost of a cache, on a transport that needs no time.
    static let cache = Workload(
        name: "cache", title: "GET of 500 bytes from a canned response", count: 5_000, quickCount: 20,
        instructionCount: 2_000
    ) {
        ["no cache", "no-store", "hit"].map { name in
            let canned = CannedRecord(control: name == "hit" ? "max-age=86400" : "no-store")
            let session = NetworkSession(
                NetworkConfiguration(
                    environment: NetworkEnvironment("https://store.example/v1"),
                    transport: name == "no cache" ? canned : HTTPCache().transport(canned)))
            return Client(name, isReference: name == "no cache") {
                if try await session.value(for: CannedRecord.Get()).count != 500 { throw WrongAnswer("other bytes") }
            }
        }
    }
}

/// A transport with one response.
private struct CannedRecord: NetworkTransport {
    struct Get: NetworkRequest {
        typealias ValueType = Data

        var path: RequestPath { "records/LP-0042" }
    }

    private let headers: HTTPHeaders
    private let body = Data(repeating: 120, count: 500)

    init(control: String) {
        headers = [
            "Content-Type": "application/json", "Date": HTTPDate(Date()).description, "Server": "nginx",
            "ETag": "\"abc\"", "Cache-Control": control,
        ]
    }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        NetworkResponse(statusCode: 200, headers: headers, body: body, url: call.url)
    }
}
