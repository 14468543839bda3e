import RecordKit
import RecordKitStreaming
import RecordKitTesting
import XCTest

/// A client in a module whose default isolation is the main actor, as in new Xcode projects.
nonisolated final class MainActorTests: XCTestCase {
    @MainActor
    func testAValueIsReadFromTheMainActor() async throws {
        let server = try LoopbackServer(responses: [.json(#"{"sku": "a", "title": "Blue", "quantity": 1}"#)])
        let screen = Screen(NetworkConfiguration(environment: NetworkEnvironment(server.url.absoluteString)))

        await screen.load("a")

        XCTAssertEqual(screen.title, "Blue")
        XCTAssertEqual(server.requests.first?.target, "/records/a")
    }

    /// An app's own default is used in place of the library's.
    @MainActor
    func testMembersOfAnExtensionOfNetworkRequestAreUsed() async throws {
        let server = try LoopbackServer { _ in .json(#"{"sku": "a", "title": "Blue", "quantity": 1}"#) }
        let network = NetworkSession(NetworkEnvironment(server.url))
        let record = try await network.value(for: RecordRequest.fetch(sku: "a"))
        let same: Record = try await network.value(for: Endpoint(path: "records/\(record.sku)"))
        try await network.value(for: Endpoint(.put, path: "records/a", body: JSONBody(same)))
        XCTAssertEqual(server.requests.map { $0.header("X-App") }, ["shop", nil, nil])
        XCTAssertEqual(server.requests.map(\.method), [.get, .get, .put])
    }

    @MainActor
    func testACompletionReachesTheMainActor() async throws {
        let server = try LoopbackServer(responses: [.text("no", status: 404)])
        var configuration = NetworkConfiguration(environment: NetworkEnvironment(server.url.absoluteString))
        configuration.completionQueue = .main
        let isDone = expectation(description: "done")

        NetworkManager<RecordRequest>(configuration).dataTask(for: .fetch(sku: "a")) { result in
            MainActor.assumeIsolated {
                if case .failure(.notFound) = result { isDone.fulfill() }
            }
        }

        await fulfillment(of: [isDone], timeout: 60)
    }

    @MainActor
    func testSequencesAreReadFromTheMainActor() async throws {
        let list = #"[{"sku": "a", "title": "Blue", "quantity": 1},\#n{"sku": "b", "title": "Hejira", "quantity": 2}]"#
        let server = try LoopbackServer { _ in .json(list) }
        let screen = ListScreen(NetworkConfiguration(environment: NetworkEnvironment(server.url.absoluteString)))

        await screen.load()

        XCTAssertEqual(screen.titles, ["Blue", "Hejira", "Hejira", "Blue", "Blue Hejira"])
        XCTAssertEqual(screen.lineCount, 2)
        XCTAssertEqual(screen.byteCount, list.utf8.count)
        XCTAssertEqual(screen.status, 200)
        XCTAssertNil(screen.error)
    }
}

final class Screen {
    private let records: NetworkManager<RecordRequest>
    var title = ""

    init(_ configuration: NetworkConfiguration) {
        records = NetworkManager(configuration)
    }

    func load(_ sku: String) async {
        do {
            title = try await records.value(for: .fetch(sku: sku)).title
        } catch {
            title = "\(error)"
        }
    }
}

/// Reads each kind of sequence, with a loop and with the methods of the sequence.
final class ListScreen {
    private let records: NetworkManager<RecordListRequest>
    private(set) var titles: [String] = []
    private(set) var lineCount = 0
    private(set) var byteCount = 0
    private(set) var status: Int?
    private(set) var error: InventoryError?

    init(_ configuration: NetworkConfiguration) {
        records = NetworkManager(configuration)
    }

    func load() async {
        do {
            for try await record in records.elements(for: .all) { titles.append(record.title) }
            let second = try await records.elements(for: .all).first { $0.sku == "b" }
            titles.append(second?.title ?? "none")
            titles += try await records.elements(for: .all).collect(upTo: 1).map(\.title)
            titles.append(
                try await records.elements(for: .all).reduce(into: "") { text, record in
                    text += (text.isEmpty ? "" : " ") + record.title
                })
            for try await _ in records.lines(for: .all) { lineCount += 1 }
            let chunks = records.chunks(for: .all)
            status = try await chunks.response.statusCode
            byteCount = try await chunks.first()?.count ?? 0
            byteCount += try await chunks.reduce(into: 0) { $0 += $1.count }
        } catch {
            self.error = error
        }
    }
}

enum RecordListRequest: NetworkRequest {
    typealias ValueType = [Record]
    typealias ErrorType = InventoryError

    case all

    var path: RequestPath { "records" }
}

nonisolated extension NetworkRequest {
    var headers: HTTPHeaders { ["X-App": "shop"] }
}
