import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server that closes a kept connection without a response. libcurl would send the request again.
final class ResendTests: TimedTestCase {
    private func expectOneRequest(
        _ ask: Ask<Data>, closing: StubResponse, line: UInt = #line,
        _ send: (NetworkManager<Ask<Data>>, Ask<Data>) async -> NetworkError?
    ) async throws {
        let server = try LoopbackServer { request in request.path == "/first" ? .text("ok") : closing }
        let network = NetworkSession(NetworkConfiguration(server.url, options: RequestOptions(timeout: .seconds(30))))
        assertEqual(try await network.value(for: Ask<String>(path: "first")), "ok", line: line)

        let error = await send(NetworkManager(network), ask)
        guard case .connection(let failure) = error else {
            return XCTFail("\(String(describing: error))", line: line)
        }
        XCTAssertEqual(failure.kind, .lost, line: line)
        XCTAssertTrue(failure.mayHaveReachedServer, line: line)
        XCTAssertEqual(server.requests.count { $0.path == "/second" }, 1, line: line)
        XCTAssertEqual(Set(server.requests.map(\.connection)).count, 1, "all requests use one connection", line: line)
    }

    private func asks() throws -> [Ask<Data>] {
        let file = FileManager.default.temporaryDirectory.appending(path: "resend-\(UUID().uuidString)")
        try Data("from a file".utf8).write(to: file)
        addTeardownBlock { try FileManager.default.removeItem(at: file) }
        return [
            Ask(path: "second", method: .post, content: "text"), Ask(path: "second", method: .patch, content: "text"),
            Ask(path: "second", method: .put, content: "text"),
            Ask(path: "second", method: .post, content: FileBody(file)),
        ]
    }

    func testACallWithABodyIsNotSentTwiceBehindOurBack() async throws {
        for ask in try asks() {
            for closing in [StubResponse.close, .reset] {
                try await expectOneRequest(ask, closing: closing) { manager, ask in
                    await manager.failure(of: ask)
                }
            }
        }
    }

    func testNorIsADataTask() async throws {
        for ask in try asks() {
            try await expectOneRequest(ask, closing: .close) { manager, ask in
                await manager.dataTaskResult(for: ask).failure
            }
        }
    }

    /// A PUT from a file is sent again from its start.
    func testASecondUploadWhoseConnectionBreaksGoesOutOnANewOne() async throws {
        let folder = try TemporaryFolder()
        let bytes = Data.noise(500_000)
        let ask = Ask<NetworkResponse>(method: .put, content: FileBody(try folder.file("a", bytes)))
        let other = URLSession(configuration: .withoutCache)
        defer { other.finishTasksAndInvalidate() }
        for way in HostileBehavior.Way.allCases {
            let heads = Kept(0)
            let server = try LoopbackServer(
                onHead: { head in
                    // The second request on the first connection gets no response.
                    guard head.connection == 0 else { return nil }
                    let count = heads.next() + 1
                    return count == 2 ? .close : nil
                }, handler: { _ in .text("ok") })
            let network = NetworkConfiguration(server.url)
            for _ in 0..<2 {
                assertEqual(await way.outcome(network, ask, otherSession: other), "200 ok", "\(way)")
            }
            XCTAssertEqual(server.requests.map { $0.body == bytes }, [true, true], "\(way)")
            XCTAssertEqual(server.connectionCount, 2, "\(way)")
        }
    }

    func testABodyThatDidNotReachTheServerIsReported() async throws {
        let folder = try TemporaryFolder()
        let contents: [any NetworkEncodable & Sendable] = ["text", FileBody(try folder.file("a", Data("text".utf8)))]
        for content in contents {
            for way in HostileBehavior.Way.allCases {
                let server = try LoopbackServer(responses: [])
                server.stop()
                let ask = Ask<NetworkResponse>(method: .post, content: content)
                let result = await HostileBehavior.run(ask, NetworkConfiguration(server.url), way)
                var expected = "refused unsent"
                #if canImport(FoundationNetworking)
                // URLSession does not count the bytes that such a task sends from memory.
                if way == .dataTaskInOtherSession, content is String { expected = "refused" }
                #endif
                XCTAssertEqual(HostileBehavior.text(of: result), expected, "\(way), \(content)")
            }
        }
    }

    /// The call is sent again, to a server that has stopped.
    func testAServerThatStopsAmidACallMayHaveSeenIt() async throws {
        let folder = try TemporaryFolder()
        let file = FileBody(try folder.file("a", Data("from a file".utf8)))
        let other = URLSession(configuration: .withoutCache)
        defer { other.finishTasksAndInvalidate() }
        for content: (any NetworkEncodable & Sendable)? in [nil, Data(), Data("text".utf8), file] {
            for way in HostileBehavior.Way.allCases {
                let running = Kept<LoopbackServer?>(nil)
                let server = try LoopbackServer { request in
                    guard request.method == .post else { return .text("ok") }
                    running.now?.stop()
                    return .close
                }
                running.set(server)
                let network = NetworkConfiguration(server.url, options: RequestOptions(timeout: .seconds(30)))
                assertEqual(await way.outcome(network, otherSession: other), "200 ok", "\(way)")

                let result = await HostileBehavior.run(
                    Ask(method: .post, content: content), network, way, otherSession: other)
                guard case .failure(let error) = result else { return XCTFail("\(result)") }
                XCTAssertTrue(error.mayHaveReachedServer, "\(way), \(String(describing: content)): \(error)")
                // Not every task counts the bytes that it sends from memory.
                if content is FileBody { XCTAssertEqual(HostileBehavior.text(of: result), "lost", "\(way)") }
                running.set(nil)
            }
        }
    }

    /// The server has received the head, and nothing of the body.
    func testAServerThatStopsInPlaceOfA100MayHaveSeenTheCall() async throws {
        let other = URLSession(configuration: .withoutCache)
        defer { other.finishTasksAndInvalidate() }
        for way in HostileBehavior.Way.allCases {
            let running = Kept<LoopbackServer?>(nil)
            let server = try LoopbackServer(
                onHead: { head in
                    guard head.method == .post else { return nil }
                    running.now?.stop()
                    return .close
                }, handler: { _ in .text("ok") })
            running.set(server)
            let network = NetworkConfiguration(server.url)
            _ = await HostileBehavior.run(Ask(), network, way, otherSession: other)
            let ask = Ask<NetworkResponse>(
                method: .post, headers: ["Expect": "100-continue"], content: Data("text".utf8))
            let result = await HostileBehavior.run(ask, network, way, otherSession: other)
            guard case .failure(let error) = result else { return XCTFail("\(result)") }
            XCTAssertTrue(error.mayHaveReachedServer, "\(way): \(error)")
            running.set(nil)
        }
    }
}
