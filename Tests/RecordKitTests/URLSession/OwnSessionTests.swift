import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport over an app's own URLSession, written with the public API.
final class OwnSessionTests: TimedTestCase {
    private struct Shared: NetworkTransport {
        func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
            do {
                let (data, response) = try await URLSession.shared.data(for: URLRequest(call))
                let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                return NetworkResponse(statusCode: status, body: data, url: call.url)
            } catch let error as URLError {
                throw NetworkError(error, for: call)
            } catch {
                throw .connection(
                    NetworkError.ConnectionFailure(kind: .unknown, host: "", mayHaveReachedServer: true, cause: error))
            }
        }
    }

    func testACallGoesOutAsItIs() async throws {
        let server = try LoopbackServer { request in .status(201, body: request.body) }
        let network = NetworkConfiguration(server.url, transport: Shared())

        let item = try await NetworkSession(network).value(for: Shop.One.create(Item(sku: "a", quantity: 1)))

        XCTAssertEqual(item, Item(sku: "a", quantity: 1))
        XCTAssertEqual(server.requests.first?.method, .post)
        XCTAssertEqual(server.requests.first?.header("Content-Type"), "application/json")
    }

    func testAFailureSaysWhetherItMayHaveReachedTheServer() throws {
        let environment = NetworkEnvironment("https://api.example:8443")
        let get = try Ask<Data>().call(in: environment)
        let post = try Ask<Data>(method: .post).call(in: environment)
        func failure(_ code: URLError.Code, _ call: NetworkCall) -> NetworkError.ConnectionFailure? {
            if case .connection(let failure) = NetworkError(URLError(code), for: call) { failure } else { nil }
        }

        XCTAssertEqual(failure(.cannotFindHost, get)?.kind, .nameNotFound)
        XCTAssertEqual(failure(.cannotFindHost, get)?.host, "api.example:8443")
        XCTAssertEqual(failure(.cannotFindHost, get)?.mayHaveReachedServer, false)
        XCTAssertEqual(failure(.networkConnectionLost, post)?.kind, .lost)
        XCTAssertEqual(failure(.networkConnectionLost, post)?.mayHaveReachedServer, true)
        XCTAssertTrue(NetworkError(URLError(.cancelled), for: get).isCancelled)
    }
}
