import Foundation
import RecordKit
import RecordKitStreaming
import Testing

/// A store in memory.
struct FakeStore: NetworkClient {
    var records: [Record] = []
    var isOffline = false

    func outcome<Request: NetworkRequest>(
        of outgoing: OutgoingRequest<Request>
    ) async -> NetworkOutcome<Request> {
        NetworkOutcome(response(to: outgoing.request), of: outgoing.request)
    }

    private func response(
        to request: any NetworkRequest
    ) -> Result<NetworkResponse, NetworkError> {
        if isOffline {
            return .failure(
                .connection(
                    NetworkError.ConnectionFailure(
                        kind: .notConnected, host: "store.example",
                        mayHaveReachedServer: false)))
        }
        let url = URL(filePath: "/")
        guard case .fetch(let sku)? = request as? RecordService.One,
            let record = records.first(where: { $0.sku == sku }),
            let body = try? JSONEncoder().encode(record)
        else { return .success(NetworkResponse(statusCode: 404, url: url)) }
        return .success(
            NetworkResponse(statusCode: 200, body: body, url: url))
    }
}

extension FakeStore {
    func open<Request: NetworkRequest>(
        _ outgoing: OutgoingRequest<Request>
    ) async -> NetworkOpening {
        let url = URL(filePath: "/")
        let lines = records.map { $0.title + "\n" }.joined()
        return .response(
            NetworkResponse(
                statusCode: 200,
                content: .stream(NetworkBytes(Data(lines.utf8))), url: url),
            NetworkCall(url: url, request: outgoing.request))
    }
}

@Suite struct FakeClientExamples {
    @Test func showsTheTitle() async throws {
        let store = FakeStore(records: [Record(sku: "LP-0042", title: "Blue")])
        let record = try await store.value(
            for: RecordService.One.fetch(sku: "LP-0042"))
        #expect(record.title == "Blue")
    }

    @Test func isOffline() async throws {
        let store = FakeStore(isOffline: true)
        let outcome = await store.outcome(
            of: RecordService.One.fetch(sku: "LP-0042"))
        #expect(outcome.failure?.isTransient == true)
    }

    @Test func hasStreams() async throws {
        let store = FakeStore(records: [Record(sku: "LP-0042", title: "Blue")])
        var lines: [String] = []
        for try await line in store.lines(for: Endpoint<Data, NetworkError>(path: "")) { lines.append(line) }
        #expect(lines == ["Blue"])
    }
}
