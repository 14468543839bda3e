#if os(Linux)
import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// Downloads in a process of their own, which is killed, whose files are limited, or whose memory is measured.
final class DownloadProcessTests: TimedTestCase {
    /// A download that a child process runs.
    private struct Job: Codable {
        var server: URL
        var target: URL
        /// The size of the partial file at which the child kills itself.
        var killSize: Int?
    }

    private func run(_ job: Job, wrapper: [String] = []) throws -> ChildProcess {
        let json = try JSONEncoder().encode(job)
        return try ChildProcess.run(
            "RecordKitStreamingTests.DownloadProcessTests/testInTheChild", task: String(decoding: json, as: UTF8.self),
            wrapper: wrapper)
    }

    /// Runs the download in the child process. Does nothing in this one.
    func testInTheChild() async throws {
        guard let task = ChildProcess.task, let job = try? JSONDecoder().decode(Job.self, from: Data(task.utf8)) else {
            return
        }
        // A file that exceeds the limit is an error.
        signal(SIGXFSZ, SIG_IGN)
        if let size = job.killSize {
            let partial = job.target.path + ".partial"
            Thread.detachNewThread {
                var found = stat()
                while stat(partial, &found) != 0 || found.st_size < size { usleep(100) }
                kill(getpid(), SIGKILL)
            }
        }
        let network = NetworkSession(NetworkConfiguration(job.server))
        let idle = ProcessFigures.now.memory
        // Resets the peak, so that it is measured from here on (proc(5), clear_refs).
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        do {
            let file = try await NetworkManager(network).download(Ask<Data>(path: "file.bin"), to: job.target)
            print("size: \(file.size)")
        } catch {
            print("error: \(error)")
        }
        print("peak above idle: \(ProcessFigures.now.peak - idle) KB")
    }

    func testAProcessThatIsKilled() async throws {
        let (file, local) = (ServedFile(.noise(300_000)), try Downloaded())
        let body = file.body
        let server = try LoopbackServer { request in
            let start = request.header("Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
            let end = start + 100_000
            if end >= body.count { return file.answer(request) }
            let length = "\(body.count - start)"
            let headers: HTTPHeaders = [
                "ETag": "\"1\"", "Content-Length": length,
                "Content-Range": start > 0 ? "bytes \(start)-\(body.count - 1)/\(body.count)" : nil,
            ]
            return [.head(start > 0 ? 206 : 200, headers: headers), .body(body[start..<end]), .hold]
        }
        for size in [100_000, 200_000] {
            let child = try run(Job(server: server.url, target: local.target, killSize: size))
            XCTAssertEqual(child.status, SIGKILL, child.output)
            XCTAssertEqual(local.names, ["file.bin.partial", "file.bin.partial.json"])
        }

        let downloaded = try await NetworkManager(NetworkConfiguration(server.url)).download(
            Ask<Data>(path: "file.bin"), to: local.target)

        XCTAssertEqual(downloaded.resumedBytes, 200_000)
        XCTAssertEqual(local.content, body)
        XCTAssertEqual(local.names, ["file.bin"])
        XCTAssertEqual(server.requests.map { $0.header("Range") }, [nil, "bytes=100000-", "bytes=200000-"])
    }

    func testAFileWithoutSpace() async throws {
        let (file, local) = (ServedFile(.noise(100_000)), try Downloaded())
        let server = try file.server()
        let child = try run(Job(server: server.url, target: local.target), wrapper: ["prlimit", "--fsize=40000", "--"])
        XCTAssertTrue(
            child.output.contains(
                "error: The file file.bin could not be written: no space is left; free some and call again."),
            child.output)
        XCTAssertEqual(local.names, ["file.bin.partial", "file.bin.partial.json"])

        let downloaded = try await NetworkManager(NetworkConfiguration(server.url)).download(
            Ask<Data>(path: "file.bin"), to: local.target)
        XCTAssertEqual(downloaded.resumedBytes, 40000)
        XCTAssertEqual(local.content, file.body)
    }

    func testALargeFileNeedsLittleMemory() async throws {
        let isLong = ProcessInfo.processInfo.environment["RECORDKIT_SOAK"] == "1"
        let (megabytes, local) = (isLong ? 256 : 32, try Downloaded())
        let piece = Data.noise(1 << 20)
        let body = [StubResponse.Step](repeating: .body(piece), count: megabytes)
        let server = try LoopbackServer { _ in
            StubResponse([.head(200, headers: ["Content-Length": "\(megabytes << 20)"])] + body)
        }
        let child = try run(Job(server: server.url, target: local.target))
        XCTAssertTrue(child.output.contains("size: \(megabytes << 20)\n"), child.output)
        let above = try XCTUnwrap(child.output.firstMatch(of: /peak above idle: (-?[0-9]+) KB/)?.1)
        print("\(megabytes) MB downloaded;", above, "KB above an idle process")
        if !ProcessFigures.areSanitized { XCTAssertLessThan(try XCTUnwrap(Int(above)), 24 * 1024) }
    }
}
#endif
