import Foundation
import RecordKit
import RecordKitTesting
import Synchronization
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

    func testTheUsualResponsesInOrderTheLastRepeated() async throws {
        let stub = StubServer(responses: [
            .text("é"), try .json(encoding: ["b": 1, "a": 2], status: 201), .status(204), .json("[]"),
        ])
        let session = URLSession(configuration: stub.sessionConfiguration)
        var seen: [String] = []
        for _ in 0..<5 {
            let exchange = await session.exchange(try request("http://h/"))
            seen.append("\(exchange.status ?? 0) \(exchange.headers["Content-Type"] ?? "-") \(exchange.text)")
        }
        XCTAssertEqual(
            seen,
            [
                "200 text/plain; charset=utf-8 é", #"201 application/json {"a":2,"b":1}"#, "204 - ",
                "200 application/json []", "200 application/json []",
            ])
    }

    func testRequestsAreRecordedWithTheirBodies() async throws {
        let stub = StubServer { request in
            .text(request.text)
        }
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
        let lost = await session.exchange(try request("http://h/lost"))
        XCTAssertEqual(lost.errorCode, .networkConnectionLost)
        let own = await session.exchange(try request("http://h/own"))
        XCTAssertTrue(own.error is Own, "\(String(describing: own.error))")
        let thrown = await session.exchange(try request("http://h/thrown"))
        XCTAssertEqual(thrown.errorCode, .timedOut)
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
        let exchange = await URLSession(configuration: copy).exchange(try request("http://h/"))
        XCTAssertEqual(exchange.text, "stubbed")
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
        let first = await recorder.next()
        XCTAssertEqual(first, "202 held nil")
        session.dataTask(with: try request("http://h/")).resume()
        let second = await recorder.next()
        XCTAssertEqual(second, "  -1001")
        session.invalidateAndCancel()
    }
}

/// Records what a session's delegate receives for one task after the other: status, body, error.
private final class DelegateRecorder: NSObject, URLSessionDataDelegate {
    private let heard = Mutex((status: "", body: ""))
    private let (ends, continuation) = AsyncStream.makeStream(of: String.self)

    func next() async -> String? {
        await ends.first { _ in true }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        heard.withLock { $0.status = "\((response as? HTTPURLResponse)?.statusCode ?? 0)" }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        heard.withLock { $0.body += String(decoding: data, as: UTF8.self) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (status, body) = heard.withLock { heard in
            defer { heard = ("", "") }
            return heard
        }
        let code = (error as? URLError).map { "\($0.errorCode)" } ?? "nil"
        continuation.yield("\(status) \(body) \(code)")
    }
}
