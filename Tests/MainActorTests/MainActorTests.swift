import RecordKit
import RecordKitTesting
import XCTest

/// A client in a module whose default isolation is the main actor, as in new Xcode projects.
nonisolated final class MainActorTests: XCTestCase {
    @MainActor
    func testAValueIsReadFromTheMainActor() async throws {
        let server = try LoopbackServer(answers: [.json(#"{"sku": "a", "title": "Blue", "quantity": 1}"#)])
        let screen = Screen(NetworkConfiguration(environment: NetworkEnvironment(server.url.absoluteString)))

        await screen.load("a")

        XCTAssertEqual(screen.title, "Blue")
        XCTAssertEqual(server.requests.first?.target, "/records/a")
    }

    @MainActor
    func testACompletionReachesTheMainActor() async throws {
        let server = try LoopbackServer(answers: [.text("no", status: 404)])
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
