import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

// For developers used to a stack of endpoints, a web service, a parser and a mock service.
//
//     Endpoint              an enum that conforms to NetworkRequest, one for each type of response
//     scheme and host       NetworkEnvironment
//     WebService            NetworkManager; NetworkManagerProtocol, to replace it in tests
//     parser                the request's ValueType
//     activity count        NetworkSession.inFlight, .inFlightUpdates
//     mock service          MockFolder

struct User: Codable, Hashable {
    let id: Int
    let name: String
}

enum UserService {
    enum One: NetworkRequest {
        typealias ValueType = User
        typealias ErrorType = NetworkError

        case user(id: Int)

        var path: RequestPath {
            switch self {
            case .user(let id): "users/\(id)"
            }
        }
    }

    enum Many: NetworkRequest {
        typealias ValueType = [User]
        typealias ErrorType = NetworkError

        case all(page: Int?)
        case named(String)

        var path: RequestPath { "users" }

        var query: RequestQuery {
            switch self {
            case .all(let page): ["page": page]
            case .named(let name): ["name": name]
            }
        }

        var headers: HTTPHeaders { ["X-Client": "network-stack"] }
    }
}

/// A model of a screen. Its client is passed in: a session, or a fake.
struct UserList {
    let network: any NetworkClient

    func names() async throws -> [String] {
        try await network.value(for: UserService.Many.all(page: nil)).map(\.name)
    }
}

final class NetworkStackExample: TimedTestCase {
    private let mocked = NetworkSession(
        NetworkConfiguration(
            environment: NetworkEnvironment("https://api.example"), transport: MockFolder("UserMocks", in: .module)))

    func testTheMockRespondsFromTheBundle() async throws {
        let user = try await mocked.value(for: UserService.One.user(id: 7))
        let names = try await UserList(network: mocked).names()

        XCTAssertEqual(user, User(id: 1, name: "Ella"))
        XCTAssertEqual(names, ["Ella", "Miles"])
    }

    func testAnEndpointThatIsNotMockedSaysSo() async throws {
        let error = await mocked.failure(of: UserService.Many.named("Miles"))

        guard case .missingFile("UserService.Many.named.json", _) = error?.cause as? StubError else {
            return XCTFail("\(String(describing: error))")
        }
    }

    func testTheSameRequestsGoOverTheWire() async throws {
        let server = try LoopbackServer(responses: [.json(#"[{"id": 2, "name": "Miles"}]"#), .status(500)])
        let users = UserList(network: NetworkSession(NetworkConfiguration(server.url)))

        let names = try await users.names()
        let error = await failure { try await users.names() }

        XCTAssertEqual(names, ["Miles"])
        XCTAssertEqual(server.requests.first?.target, "/users")
        XCTAssertEqual(server.requests.first?.header("X-Client"), "network-stack")
        // The status is checked before the body is read.
        guard case .status(let response) = error as? NetworkError else {
            return XCTFail("\(String(describing: error))")
        }
        XCTAssertEqual(response.statusCode, 500)
    }

    func testTheActivityShowsFromTheFirstRequestToTheLast() async throws {
        let gate = ResponseGate()
        let stub = StubServer()
        stub.respond(to: "/users/*") { request in .json(#"{"id": 1, "name": "Ella"}"#).after(gate) }
        let network = NetworkSession(stub.configuration)
        var counts = network.inFlightUpdates.makeAsyncIterator()
        let atFirst = await counts.next()
        XCTAssertEqual(atFirst, 0)

        async let one = network.value(for: UserService.One.user(id: 1))
        async let other = network.value(for: UserService.One.user(id: 2))
        _ = try await stub.request(at: 1)
        XCTAssertEqual(network.inFlight, 2)
        let between = await counts.next()
        XCTAssertEqual(between, 2)
        gate.open()
        _ = try await (one, other)

        let atLast = await counts.next()
        XCTAssertEqual(atLast, 0)
    }

    /// A view model on the main actor, which assigns its result in a completion handler.
    @MainActor
    private final class UserListModel {
        private(set) var names: [String] = []
        private let users: NetworkManager<UserService.Many>

        init(_ users: NetworkManager<UserService.Many>) {
            self.users = users
        }

        func load(_ whenDone: @escaping @MainActor () -> Void) {
            users.send(.all(page: nil), on: MainActor.self) { [weak self] result in
                self?.names = (try? result.get().map(\.name)) ?? []
                whenDone()
            }
        }
    }

    @MainActor
    func testAViewModelLoadsFromTheBundleThroughInterceptors() async {
        let book = LogBook()
        var network = mocked.configuration
        network.interceptors = [RetryInterceptor(), LoggingInterceptor(to: book)]
        let model = UserListModel(NetworkManager(network))

        await withCheckedContinuation { continuation in model.load { continuation.resume() } }

        XCTAssertEqual(model.names, ["Ella", "Miles"])
        XCTAssertEqual(book.messages.count, 1)
        XCTAssertTrue(book.messages[0].hasPrefix("GET https://api.example/users: 200"), book.messages[0])
    }
}
