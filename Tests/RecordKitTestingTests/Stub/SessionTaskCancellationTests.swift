import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Delayed responses, and tasks that are cancelled first.
final class SessionTaskCancellationTests: TimedTestCase {
    private let url = URL(string: "http://h/") ?? URL(filePath: "/")

    func testAGateHoldsResponsesBackWithoutDelayingOthers() async throws {
        let gate = ResponseGate()
        let stub = StubServer { $0.method == .put ? .text("held").after(gate) : .text("free") }
        let session = URLSession(configuration: stub.sessionConfiguration)
        var put = URLRequest(url: url)
        put.httpMethod = "PUT"
        let held = (0..<8).map { _ in StartedExchange(put, in: session) }
        let last = try await stub.request(at: 7)
        XCTAssertEqual(last.method, .put)
        let free = await session.exchange(url)
        XCTAssertEqual(free.text, "free")
        gate.open()
        for exchange in held {
            let text = await exchange.exchange.text
            XCTAssertEqual(text, "held")
        }
    }

    func testAResponseThatNeverComesEndsWithItsTask() async throws {
        let gate = ResponseGate()
        let stub = StubServer { $0.method == .put ? .status(200).after(gate) : .never }
        let session = URLSession(configuration: stub.sessionConfiguration)
        for (index, method) in ["GET", "PUT"].enumerated() {
            var request = URLRequest(url: url)
            request.httpMethod = method
            let exchange = StartedExchange(request, in: session)
            _ = try await stub.request(at: index)
            exchange.cancel()
            let code = await exchange.exchange.errorCode
            XCTAssertEqual(code, .cancelled)
        }
        gate.open()
    }

    func testCancelsThatRaceWithResponsesEndEachTaskOnce() async throws {
        let stub = StubServer(responses: [.text("done")])
        let session = URLSession(configuration: stub.sessionConfiguration)
        let url = url
        let outcomes = await withTaskGroup(of: [String].self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var outcomes: [String] = []
                    for turn in 0..<300 {
                        let exchange = StartedExchange(URLRequest(url: url), in: session)
                        for _ in 0..<(turn * 7 + worker * 13) % 40 { await Task.yield() }
                        exchange.cancel()
                        let end = await exchange.exchange
                        outcomes.append(end.error == nil ? end.text : "\(end.errorCode?.rawValue ?? 0)")
                    }
                    return outcomes
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        XCTAssertEqual(outcomes.count, 2400)
        XCTAssertEqual(Set(outcomes).subtracting(["done", "-999"]), [])
    }

    func testWaitingForARequestThatDoesNotComeNamesThoseThatDid() async throws {
        let stub = StubServer(responses: [.status(200)])
        let url = url.appending(queryItems: [URLQueryItem(name: "token", value: "s3cret")])
        _ = await URLSession(configuration: stub.sessionConfiguration).exchange(url)
        let error = await failure { () async throws(WaitingError) in
            try await stub.request(at: 1, within: .milliseconds(10))
        }
        XCTAssertEqual(
            error?.description,
            "Timed out after 0.01 seconds while waiting for request 1. Received: GET http://h/?token=redacted.")
    }
}
