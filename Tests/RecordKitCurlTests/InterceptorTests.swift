import Foundation
import RecordKit
import RecordKitCurl
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

/// Interceptors give the same results over libcurl and over URLSession.
final class InterceptorTests: TimedTestCase {
    func testRetryAuthorizationAndSingleFlightOverBothTransports() async throws {
        let transports: [any NetworkTransport] = [CurlTransport(), URLSessionTransport()]
        for transport in transports {
            let attempts = Mutex<[String: Int]>([:])
            let server = try LoopbackServer { request in
                if request.header("Authorization") != "Bearer new" { return .status(401) }
                let attempt = attempts.withLock { attempts in
                    attempts[request.path, default: 0] += 1
                    return attempts[request.path] ?? 0
                }
                if request.path.hasSuffix("3"), attempt == 1 { return .close }
                if request.path.hasSuffix("7"), attempt == 1 { return .status(503, headers: ["Retry-After": "0"]) }
                return .text(request.path)
            }
            let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("old"))) { _ in AccessToken("new") }
            var network = NetworkConfiguration(
                environment: NetworkEnvironment(server.url.absoluteString), transport: transport)
            network.interceptors = [
                RetryInterceptor(base: .zero, floor: .zero, budget: nil),
                AuthorizationInterceptor(tokens, for: CredentialScope(stringLiteral: server.url.absoluteString)),
                SingleFlightInterceptor(),
            ]
            let texts = await withTaskGroup(of: String.self) { [network] group in
                for number in 0..<200 { group.addTask { await network.outcome(Fetch(path: "\(number % 100)")) } }
                return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            XCTAssertEqual(texts.count, 100, "\(type(of: transport)): \(texts)")
            for number in 0..<100 { XCTAssertEqual(texts["200 /\(number)"], 2, "\(type(of: transport)): \(number)") }
        }
    }
}
