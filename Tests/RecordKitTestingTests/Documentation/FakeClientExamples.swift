import Foundation
import RecordKit
import RecordKitStreaming
import RecordKitTesting
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
        let blue = Record(sku: "LP-0042", title: "Blue", quantity: 3)
        let store = FakeStore(records: [blue])
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
        let blue = Record(sku: "LP-0042", title: "Blue", quantity: 3)
        let store = FakeStore(records: [blue])
        var lines: [String] = []
        for try await line in store.lines(for: Endpoint<Data, NetworkError>(path: "")) { lines.append(line) }
        #expect(lines == ["Blue"])
    }
}

/// The samples of the testing pages with Swift Testing.
@Suite struct TestingSamples {
    @Test func sellsACopy() async throws {
        try await withStubs { stub in
            try stub.respond(
                to: RecordService.One.fetch(sku: "LP-0042"),
                with: Record(sku: "LP-0042", title: "Blue", quantity: 3))
            let network = NetworkSession(stub.configuration)

            let record = try await network.value(
                for: RecordService.One.fetch(sku: "LP-0042"))

            #expect(record.quantity == 3)
        }
    }

    @Test func inspectsRequests() async throws {
        let strict = StubServer(report: { Issue.record(Comment(rawValue: $0)) })
        #expect(strict.requests.isEmpty)
        let stub = StubServer()
        stub.respond(to: "POST /records", with: .status(201))
        let record = Record(sku: "a")
        _ = try await NetworkSession(stub.configuration).value(
            for: Endpoint<Void, NetworkError>(.post, path: "records", body: JSONBody(record)))
        #expect(
            stub.requests.map(\.description) == ["POST https://stub.test/records"])
        #expect(stub.requests(matching: "POST /records").count == 1)
        #expect(try stub.requests[0].value(as: Record.self).sku == record.sku)
    }

    @Test func fetchesFromALoopbackServer() async throws {
        let server = try LoopbackServer { request in
            request.path == "/records/a"
                ? .json(#"{"sku": "a", "title": "Blue", "quantity": 1}"#)
                : .status(404)
        }
        let environment = NetworkEnvironment(server.url)
        let network = NetworkSession(environment: environment)
        let record = try await network.value(for: RecordService.One.fetch(sku: "a"))
        #expect(record.title == "Blue")
        #expect(server.requests.map(\.target) == ["/records/a"])
    }

    @Test func waitsForADelay() async throws {
        let record = Record(sku: "LP-0042")
        let clock = ManualClock()
        let stub = StubServer(clock: clock.networkClock)
        stub.respond(
            to: "/records/*",
            with: try .json(encoding: record).delayed(by: .seconds(30)))
        let network = NetworkSession(stub.configuration)
        async let delayed = network.value(
            for: RecordService.One.fetch(sku: "LP-0042"))
        await clock.advanceToNextSleeper()
        let late = try await delayed
        #expect(late.sku == record.sku)
    }
}
