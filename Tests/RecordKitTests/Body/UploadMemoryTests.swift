#if os(Linux)
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// The memory that a large upload takes, in a process of its own.
///
/// `RECORDKIT_UPLOAD_MEGABYTES` sets the size, which is 64 by default.
final class UploadMemoryTests: TimedTestCase {
    private struct Job: Codable {
        var server: URL
        var file: URL
    }

    func testALargeFileNeedsLittleMemory() async throws {
        if ChildProcess.task != nil { return }
        let megabytes = ProcessInfo.processInfo.environment["RECORDKIT_UPLOAD_MEGABYTES"].flatMap { Int($0) } ?? 64
        let folder = try TemporaryFolder()
        let file = try folder.file()
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(megabytes) << 20)
        try handle.close()
        let server = try LoopbackServer(bodies: .counted) { _ in .text("fine") }

        let job = try JSONEncoder().encode(Job(server: server.url, file: file))
        let child = try ChildProcess.run(
            "RecordKitTests.UploadMemoryTests/testInTheChild", task: String(decoding: job, as: UTF8.self))

        XCTAssertEqual(child.status, 0, child.output)
        let above = try XCTUnwrap(child.output.firstMatch(of: /peak above idle: (-?[0-9]+) KB/)?.1)
        print("\(megabytes) MB sent;", above, "KB above an idle process")
        XCTAssertLessThan(try XCTUnwrap(Int(above)), 48 * 1024)
        XCTAssertEqual(server.requests.map(\.bodyLength), [0, megabytes << 20])
        let upload = try XCTUnwrap(server.requests.last)
        XCTAssertEqual(upload.headers("Content-Length"), ["\(megabytes << 20)"])
        XCTAssertEqual(upload.headers("Transfer-Encoding"), [])
    }

    func testInTheChild() async throws {
        guard let task = ChildProcess.task, let job = try? JSONDecoder().decode(Job.self, from: Data(task.utf8)) else {
            return
        }
        let network = NetworkSession(NetworkConfiguration(job.server))
        _ = try await network.value(for: Ask<String>())
        let idle = ProcessFigures.now.memory
        // Resets the peak, so that it is measured from here on (proc(5), clear_refs).
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let options = RequestOptions(timeout: .seconds(300))
        _ = try await network.value(for: Ask<String>(method: .put, content: FileBody(job.file), options: options))
        print("peak above idle: \(ProcessFigures.now.peak - idle) KB")
    }
}
#endif
