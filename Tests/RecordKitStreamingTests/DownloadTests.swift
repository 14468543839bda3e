import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// A download is complete and in place, or it leaves nothing but what a later one continues.
final class DownloadTests: TimedTestCase {
    private let ask = Ask<Data>(path: "file.bin")

    func testABodyIsStoredInItsFile() async throws {
        let (file, local) = (ServedFile(), try Downloaded())
        let server = try file.server()
        let manager = NetworkManager<Ask<Data>>(NetworkConfiguration(server.url))

        let downloaded = try await manager.download(ask, to: local.target)

        XCTAssertEqual(local.content, file.body)
        XCTAssertEqual(local.names, ["file.bin"])
        XCTAssertEqual(downloaded.file, local.target)
        XCTAssertEqual(downloaded.size, 5000)
        XCTAssertEqual(downloaded.resumedBytes, 0)
        XCTAssertEqual(downloaded.response.headers["ETag"], "\"1\"")
        XCTAssertEqual(server.requests.map { $0.header("Accept-Encoding") }, ["identity"])
        XCTAssertEqual(manager.inFlight, 0)
    }

    func testAnEmptyBodyIsAnEmptyFile() async throws {
        let local = try Downloaded()
        let server = try LoopbackServer { _ in .status(200, headers: ["ETag": "\"1\""]) }
        assertEqual(try await NetworkManager(NetworkConfiguration(server.url)).download(ask, to: local.target).size, 0)
        XCTAssertEqual(local.content, Data())
        XCTAssertEqual(local.names, ["file.bin"])
    }

    func testARefusedStatusWritesNothing() async throws {
        let local = try Downloaded()
        try Data("old".utf8).write(to: local.target)
        let server = try LoopbackServer { _ in .text("none", status: 404) }
        let network = NetworkSession(NetworkConfiguration(server.url))
        let error = await local.failure(of: ask, network)
        guard case .status(let response) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertEqual(response.body, Data("none".utf8))
        XCTAssertEqual(local.names, ["file.bin"])
        XCTAssertEqual(local.content, Data("old".utf8))
    }

    func testTheTargetIsReplacedAtTheEnd() async throws {
        let local = try Downloaded()
        let (ask, target) = (ask, local.target)
        try Data("old".utf8).write(to: target)
        let gate = ResponseGate()
        let server = try LoopbackServer { _ in
            [.head(200, headers: ["Content-Length": "8"]), .body("half"), .wait(gate), .body("done")]
        }
        let network = NetworkSession(NetworkConfiguration(server.url))
        async let downloaded = NetworkManager(network).download(ask, to: target)
        await until { (try? Data(contentsOf: local.partial)) == Data("half".utf8) }
        XCTAssertEqual(local.content, Data("old".utf8))
        gate.open()
        _ = try await downloaded
        XCTAssertEqual(local.content, Data("halfdone".utf8))
        XCTAssertEqual(local.names, ["file.bin"])
    }

    func testTwoDownloadsToTheSameFile() async throws {
        let local = try Downloaded()
        let (ask, target) = (ask, local.target)
        let gate = ResponseGate()
        let server = try LoopbackServer { _ in
            [.head(200, headers: ["Content-Length": "8"]), .body("half"), .wait(gate), .body("done")]
        }
        let network = NetworkSession(NetworkConfiguration(server.url))
        async let first = NetworkManager(network).download(ask, to: target)
        await until { (try? Data(contentsOf: local.partial)) == Data("half".utf8) }

        let second = await local.failure(of: ask, network)
        guard case .file(let failure) = second else { return XCTFail("\(String(describing: second))") }
        XCTAssertEqual(failure.reason, .inUse)
        XCTAssertEqual(
            failure.description,
            "The file file.bin could not be written: another download to it is running; wait for its end, or "
                + "use another file.")
        gate.open()
        _ = try await first
        XCTAssertEqual(local.content, Data("halfdone".utf8))
        XCTAssertEqual(server.requests.count, 1)
    }

    /// A download may open the partial file of another one just before that is moved into place.
    func testManyDownloadsToTheSameFile() async throws {
        let (file, local) = (ServedFile(), try Downloaded())
        let server = try file.server()
        let (network, ask, target) = (NetworkConfiguration(server.url), ask, local.target)
        let outcomes = await withTaskGroup(of: [NetworkError?].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var errors: [NetworkError?] = []
                    for _ in 0..<10 {
                        errors.append(
                            await networkError { try await NetworkManager(network).download(ask, to: target) })
                    }
                    return errors
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        for case .some(let error) in outcomes {
            guard case .file(let failure) = error, failure.reason == .inUse else { return XCTFail("\(error)") }
        }
        XCTAssertTrue(outcomes.contains { $0 == nil })
        XCTAssertEqual(local.content, file.body)
        XCTAssertEqual(local.names, ["file.bin"])
    }

    func testAFileThatCannotBeWritten() async throws {
        let local = try Downloaded()
        let server = try LoopbackServer { _ in .text("fine") }
        let network = NetworkSession(NetworkConfiguration(server.url))
        let folder = local.folder.url.appending(path: "folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try Data().write(to: local.target)
        let occupied = local.folder.url.appending(path: "occupied")
        let partial = local.folder.url.appending(path: "occupied.partial")
        try FileManager.default.createSymbolicLink(at: partial, withDestinationURL: local.target)
        let cases: [(URL, NetworkError.FileFailure.Reason)] = [
            (folder, .notAFile), (URL(filePath: "/dev/null"), .notAFile), (occupied, .notAFile),
            (local.folder.url.appending(path: "new/"), .notAFile),
            (local.folder.url.appending(path: "none/file"), .noFolder),
            (local.target.appending(path: "file"), .noFolder),
            (try XCTUnwrap(URL(string: "https://store.example/file")), .notAFile),
            (local.folder.url.appending(path: String(repeating: "n", count: 300)), .other),
        ]
        for (target, reason) in cases {
            let error = await networkError { try await NetworkManager(network).download(ask, to: target) }
            guard case .file(let failure) = error else { return XCTFail("\(target): \(String(describing: error))") }
            XCTAssertEqual(failure.reason, reason, "\(target)")
            XCTAssertEqual(error?.isTransient, false)
        }
        XCTAssertEqual(server.requests.count, 0)
    }

    func testTheDownloadSetsTheRangeItself() async throws {
        let local = try Downloaded()
        let network = NetworkSession(NetworkConfiguration(environment: NetworkEnvironment("https://store.example")))
        for name in ["Range", "If-Range"] {
            let error = await networkError {
                try await NetworkManager(network).download(Ask<Data>(headers: [name: "bytes=1-"]), to: local.target)
            }
            guard case .invalidRequest(let invalid) = error else { return XCTFail("\(String(describing: error))") }
            XCTAssertEqual(invalid.member, .headers)
            XCTAssertEqual(local.names, [])
        }
    }

    func testCancellingKeepsWhatHasArrived() async throws {
        let (file, local) = (ServedFile(), try Downloaded())
        let body = file.body
        let server = try LoopbackServer { request in
            if request.header("Range") != nil { return file.answer(request) }
            return [
                .head(200, headers: ["Content-Length": "5000", "ETag": "\"1\""]), .body(Data(body.prefix(1234))), .hold,
            ]
        }
        let network = NetworkSession(NetworkConfiguration(server.url))
        for end in ["task", "cancelAll"] {
            try? FileManager.default.removeItem(at: local.partial)
            let task = Task { [ask, target = local.target] in
                await networkError { try await NetworkManager(network).download(ask, to: target) }
            }
            await until { (try? Data(contentsOf: local.partial))?.count == 1234 }
            if end == "task" { task.cancel() } else { network.cancelAll() }
            guard case .cancelled = await task.value else { return XCTFail(end) }
            XCTAssertEqual(local.names, ["file.bin.partial", "file.bin.partial.json"], end)
            XCTAssertEqual(network.inFlight, 0)
        }
        assertEqual(try await NetworkManager(network).download(ask, to: local.target).resumedBytes, 1234)
        XCTAssertEqual(local.content, body)
    }

    func testTheDeadlineIsThatOfTheWhole() async throws {
        let (file, local, clock) = (ServedFile(), try Downloaded(), ManualClock())
        file.change { state in
            state.cuts = [1000]
            state.answers = [.never]
        }
        let server = try file.server()
        let network = NetworkConfiguration(server.url, options: RequestOptions(deadline: .seconds(30)), clock: clock)
        let call = Task { [network, ask, target = local.target] in
            await networkError {
                try await NetworkManager(network).download(
                    ask, to: target, configure: { _ in clock.advance(by: .seconds(5)) })
            }
        }
        // The change is applied to each call. So the second one has 20 seconds left.
        _ = try await server.request(at: 1)
        clock.advance(by: .seconds(20))
        guard case .timedOut(let timeout) = await call.value else { return XCTFail("no timeout") }
        XCTAssertEqual(timeout.limit, .deadline)
        XCTAssertEqual(timeout.after, .seconds(30))
    }

    // MARK: Progress

    func testProgressCountsTheWholeFile() async throws {
        let (file, local, clock) = (ServedFile(), try Downloaded(), ManualClock())
        file.change { $0.cuts = [2000, 2000] }
        let server = try file.server()
        var network = NetworkConfiguration(server.url, clock: clock)
        let reports = Kept<[NetworkProgress]>([])

        _ = await networkError {
            try await NetworkManager(network).download(ask, to: local.target, onProgress: reports.add)
        }
        // The clock stands still, so only the first and the last of the file are reported.
        XCTAssertEqual(reports.now.map(\.bytes), [0])
        file.change { $0.cuts = [4000] }
        _ = try await NetworkManager(network).download(
            ask, to: local.target, configure: { $0.onProgress = reports.add })
        XCTAssertEqual(reports.now.map(\.bytes), [0, 2000, 5000])
        XCTAssertEqual(reports.now.map(\.total), [5000, 5000, 5000])
        XCTAssertEqual(reports.now.map(\.phase), [.receiving, .receiving, .receiving])

        // It starts over with another version.
        reports.set([])
        file.change { $0.cuts = [2000] }
        let changing = try LoopbackServer { request in
            if request.header("Range") != nil { file.becomeNew() }
            return file.answer(request)
        }
        network.environment = NetworkEnvironment(changing.url.absoluteString)
        _ = try await NetworkManager(network).download(ask, to: local.target, onProgress: reports.add)
        XCTAssertEqual(reports.now.map(\.bytes), [0, 0, 5000])
    }

    func testProgressWithoutALength() async throws {
        let (local, clock) = (try Downloaded(), ManualClock())
        let server = try LoopbackServer { _ in [.chunk("one "), .chunk("two "), .chunk("three")] }
        let network = NetworkConfiguration(server.url, clock: clock)
        let reports = Kept<[NetworkProgress]>([])
        let downloaded = try await NetworkManager(network).download(ask, to: local.target, onProgress: reports.add)
        XCTAssertEqual(reports.now.map(\.bytes), [0, 13])
        XCTAssertEqual(reports.now.map(\.total), [nil, 13])
        XCTAssertEqual(downloaded.size, 13)
        XCTAssertEqual(local.content, Data("one two three".utf8))
    }
}
