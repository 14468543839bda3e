import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

private protocol Named: NetworkRequest where ValueType == Void, ErrorType == NetworkError {}

extension Named {
    var path: RequestPath { "a" }
}

private enum Resource<Value: Sendable> {
    enum One: Named { case fetch }
    enum Many: Named { case fetch(page: Int) }
}

extension StubServer {
    fileprivate enum Health { enum Check: Named { case ping } }
}

final class CaseNameTests: TimedTestCase {
    func testATypeWithinAGenericOneKeepsItsName() throws {
        XCTAssertEqual(
            try Resource<String>.One.fetch.call(in: NetworkEnvironment("https://a.test")).name, "Resource.One.fetch")
        XCTAssertEqual(
            try Resource<@Sendable () -> Int>.Many.fetch(page: 1).call(in: NetworkEnvironment("https://a.test")).name,
            "Resource.Many.fetch")
    }

    func testATypeWithinAnotherModulesKeepsTheNameOfThat() throws {
        XCTAssertEqual(
            try StubServer.Health.Check.ping.call(in: NetworkEnvironment("https://a.test")).name,
            "StubServer.Health.Check.ping")
    }

    func testTheErrorOfACallIsNamedInItsStoryWithoutWhatItHolds() async {
        enum Plain: NetworkFailure {
            case gone, network(NetworkError)
            init(_ error: NetworkError) { self = error.response?.statusCode == 410 ? .gone : .network(error) }
        }
        enum Described: NetworkFailure, CustomStringConvertible {
            case gone
            init(_ error: NetworkError) { self = .gone }
            var description: String { "It is gone." }
        }
        struct Ask<ErrorType: NetworkFailure>: NetworkRequest {
            typealias ValueType = Void
            var path: RequestPath { "a" }
        }
        func detail<Failure: NetworkFailure>(_ error: Failure.Type, _ status: Int?) async -> String? {
            let book = TimelineBook()
            let transport = CannedTransport { call throws(NetworkError) in
                guard let status else { throw .cancelled }
                return NetworkResponse(statusCode: status, url: call.url)
            }
            let network = NetworkSession(transport, observers: [book.observer])
            _ = try? await network.value(for: Ask<Failure>())
            return book.timelines.last?.events.last?.detail
        }
        let details = [
            await detail(Plain.self, 410), await detail(Plain.self, 500), await detail(Described.self, 500),
            await detail(NetworkError.self, 404), await detail(NetworkError.self, nil),
            await detail(NetworkError.self, 200),
        ]
        XCTAssertEqual(
            details.map { $0?.replacing("CaseNameTests.", with: "") },
            ["Plain.gone", "Plain.network", "Described", "NetworkError.status", "NetworkError.cancelled", nil])
    }
}
