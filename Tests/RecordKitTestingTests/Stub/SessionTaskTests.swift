import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class SessionTaskTests: TimedTestCase {
    private func request(_ text: String, method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try XCTUnwrap(URL(string: text)))
        request.httpMethod = method
        return request
    }

    func testRequestsAreRecordedWithTheirBodies() async throws {
        let stub = StubServer { request in .text(request.text) }
        let session = URLSession(configuration: stub.sessionConfiguration)
        var data = try request("http://h/a?b=c", method: "POST")
        data.httpBody = Data("whole".utf8)
        data.setValue("1", forHTTPHeaderField: "X-Mine")
        var stream = try request("http://h/s", method: "PUT")
        let long = String(repeating: "0123456789", count: 20_000)
        stream.httpBodyStream = InputStream(data: Data(long.utf8))
        let texts = [
            await session.exchange(data).text, await session.exchange(stream).text,
            await session.exchange(try request("http://h/")).text,
        ]
        XCTAssertTrue(texts == ["whole", long, ""])
        XCTAssertEqual(stub.requests.map(\.method), [.post, .put, .get])
        XCTAssertEqual(stub.requests.first?.url.absoluteString, "http://h/a?b=c")
        XCTAssertEqual(stub.requests.first?.headers["x-mine"], "1")
        XCTAssertEqual(stub.requests.last?.headers, [:])
    }

    func testErrorsPassUnchanged() async throws {
        struct Own: Error {}
        let stub = StubServer { request in
            switch request.url.path {
            case "/lost": .failure(URLError(.networkConnectionLost))
            case "/own": .failure(Own())
            default: throw URLError(.timedOut)
            }
        }
        let session = URLSession(configuration: stub.sessionConfiguration)
        assertEqual(await session.exchange(try request("http://h/lost")).errorCode, .networkConnectionLost)
        let own = await session.exchange(try request("http://h/own"))
        XCTAssertTrue(own.error is Own, "\(String(describing: own.error))")
        assertEqual(await session.exchange(try request("http://h/thrown")).errorCode, .timedOut)
    }

    func testTheResponseToHEADHasNoBody() async throws {
        let stub = StubServer(responses: [.text("four")])
        let session = URLSession(configuration: stub.sessionConfiguration)
        let exchange = await session.exchange(try request("http://h/", method: "HEAD"))
        XCTAssertEqual(exchange.status, 200)
        XCTAssertEqual(exchange.headers["Content-Length"], "4")
        XCTAssertEqual(exchange.text, "")
    }

    func testAStubThatIsGoneOrEmptySaysSo() async throws {
        var stub: StubServer? = StubServer(responses: [])
        let session = URLSession(configuration: try XCTUnwrap(stub).sessionConfiguration)
        let empty = await session.exchange(try request("http://h/"))
        XCTAssertEqual((empty.error as? StubError)?.description, StubError.noResponse.description)
        weak let last = stub
        stub = nil
        // The thread that responded may hold the stub a moment longer.
        await until { last == nil }
        let gone = await session.exchange(try request("http://h/"))
        XCTAssertEqual((gone.error as? StubError)?.description, StubError.stubIsGone.description)
    }

    func testACopiedConfigurationWorks() async throws {
        let stub = StubServer(responses: [.text("stubbed")])
        let copy = try XCTUnwrap(stub.sessionConfiguration.copy() as? URLSessionConfiguration)
        copy.urlCache = nil
        copy.timeoutIntervalForRequest = 5
        copy.httpAdditionalHeaders = ["X-More": "1"]
        assertEqual(await URLSession(configuration: copy).exchange(try request("http://h/")).text, "stubbed")
    }

    func testTwoHundredStubsAtOnceDoNotMix() async throws {
        let url = try XCTUnwrap(request("http://h").url)
        let wrong = await withTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let stub = StubServer { .text("\(number) \($0.url.path)") }
                    let session = URLSession(configuration: stub.sessionConfiguration)
                    var wrong = 0
                    for path in ["a", "b", "c"] {
                        let exchange = await session.exchange(url.appending(path: path))
                        if exchange.text != "\(number) /\(path)" { wrong += 1 }
                    }
                    return wrong + abs(stub.requests.count - 3)
                }
            }
            return await group.reduce(0, +)
        }
        XCTAssertEqual(wrong, 0)
    }

    func testATaskWithADelegateGetsTheSame() async throws {
        let gate = ResponseGate()
        let stub = StubServer(responses: [.text("held", status: 202).after(gate), .failure(URLError(.timedOut))])
        let recorder = DelegateRecorder()
        let session = URLSession(configuration: stub.sessionConfiguration, delegate: recorder, delegateQueue: nil)
        session.dataTask(with: try request("http://h/")).resume()
        _ = try await stub.request(at: 0)
        gate.open()
        assertEqual(await recorder.next(), "202 held nil")
        session.dataTask(with: try request("http://h/")).resume()
        assertEqual(await recorder.next(), "  -1001")
        session.invalidateAndCancel()
    }

    // MARK: Tasks that are cancelled

    private let url = URL(string: "http://h/") ?? URL(filePath: "/")

    func testAGateHoldsResponsesBackWithoutDelayingOthers() async throws {
        let gate = ResponseGate()
        let stub = StubServer { $0.method == .put ? .text("held").after(gate) : .text("free") }
        let session = URLSession(configuration: stub.sessionConfiguration)
        var put = URLRequest(url: url)
        put.httpMethod = "PUT"
        let held = (0..<8).map { _ in StartedExchange(put, in: session) }
        assertEqual(try await stub.request(at: 7).method, .put)
        let free = await session.exchange(url)
        XCTAssertEqual(free.text, "free")
        gate.open()
        for exchange in held { assertEqual(await exchange.exchange.text, "held") }
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
            assertEqual(await exchange.exchange.errorCode, .cancelled)
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

    // MARK: Delays and faults

    private let clock = ManualClock()
    private let ask = URL(string: "https://stub.test/ask") ?? URL(filePath: "/")

    private func session(_ stub: StubServer, _ answers: StubResponse...) -> URLSession {
        stub.respond(to: "/ask", with: answers)
        return URLSession(configuration: stub.sessionConfiguration)
    }

    private func request(timeout: TimeInterval) -> URLRequest {
        var request = URLRequest(url: ask)
        request.timeoutInterval = timeout
        return request
    }

    func testASessionKeepsNothingOfWhatItIsTold() {
        let configuration = StubServer().sessionConfiguration
        XCTAssertNil(configuration.urlCache)
        XCTAssertNil(configuration.httpCookieStorage)
        XCTAssertNil(configuration.urlCredentialStorage)
    }

    func testNoTimeIsNoLimit() async throws {
        let clock = ManualClock(advancesItself: true)
        let stub = StubServer(clock: clock.networkClock)
        let session = session(stub, .text("late").delayed(by: .seconds(1_000_000)))
        for limit in [0, 1e300] {
            let data = try await session.data(for: request(timeout: limit)).0
            XCTAssertEqual(String(decoding: data, as: UTF8.self), "late")
        }
        XCTAssertEqual(clock.now, .seconds(2_000_000))
    }

    func testABodyThatPausesTooLongIsLateAfterItsDelay() async throws {
        let stub = StubServer(clock: clock.networkClock)
        let session = session(stub, .text("ab").delayed(by: .seconds(2)).slow(every: .seconds(8)))
        let request = request(timeout: 7)
        async let answer = failure { try await session.data(for: request) }
        let moved = await clock.advanceToNextSleeper()
        let error = await answer
        XCTAssertEqual(moved, .seconds(9))
        XCTAssertEqual((error as? URLError)?.code, .timedOut)
    }

    func testATaskThatIsCancelledSleepsNoMore() async throws {
        let stub = StubServer(clock: clock.networkClock)
        let session = session(stub, .text("late").delayed(by: .seconds(5)))
        let task = Task { [ask] in await failure { try await session.data(from: ask) } }
        await clock.waitForSleepers(1)
        task.cancel()
        let error = await task.value
        XCTAssertEqual((error as? URLError)?.code, .cancelled)
        let limit = ContinuousClock.now + .seconds(30)
        while clock.sleeperCount > 0, .now < limit { await Task.yield() }
        XCTAssertEqual(clock.sleeperCount, 0)
    }
}

/// Records what a session's delegate receives for one task after the other: status, body, error.
private final class DelegateRecorder: NSObject, URLSessionDataDelegate {
    private let heard = Kept((status: "", body: ""))
    private let (ends, continuation) = AsyncStream.makeStream(of: String.self)

    func next() async -> String? { await ends.first { _ in true } }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        heard.change { $0.status = "\((response as? HTTPURLResponse)?.statusCode ?? 0)" }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        heard.change { $0.body += String(decoding: data, as: UTF8.self) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (status, body) = heard.change { heard in
            defer { heard = ("", "") }
            return heard
        }
        let code = (error as? URLError).map { "\($0.errorCode)" } ?? "nil"
        continuation.yield("\(status) \(body) \(code)")
    }
}
