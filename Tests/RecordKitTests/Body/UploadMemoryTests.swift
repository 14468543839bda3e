#if os(Linux)
import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// The memory that a large upload takes. The test runs its own executable again, in a process of its own.
///
/// `RECORDKIT_UPLOAD_MEGABYTES` sets the size, which is 64 by default.
final class UploadMemoryTests: TimedTestCase {
    private static let settings = ProcessInfo.processInfo.environment

    func testALargeFileNeedsLittleMemory() async throws {
        let megabytes = Self.settings["RECORDKIT_UPLOAD_MEGABYTES"].flatMap { Int($0) } ?? 64
        let folder = try TemporaryFolder()
        let file = try folder.file()
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(megabytes) << 20)
        try handle.close()
        let server = try LoopbackServer(bodies: .counted) { _ in .text("fine") }

        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["RecordKitTests.UploadMemoryTests/testTheProcessOfItsOwn"]
        process.environment = Self.settings.merging([
            "RECORDKIT_UPLOAD_FILE": file.path, "RECORDKIT_UPLOAD_SERVER": server.url.absoluteString,
        ]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()

        XCTAssertEqual(process.terminationStatus, 0, printed)
        let above = try XCTUnwrap(printed.firstMatch(of: /peak above idle: (-?[0-9]+) KB/)?.1)
        print("\(megabytes) MB sent;", above, "KB above an idle process")
        XCTAssertLessThan(try XCTUnwrap(Int(above)), 48 * 1024)
        XCTAssertEqual(server.requests.map(\.bodyLength), [0, megabytes << 20])
        let upload = try XCTUnwrap(server.requests.last)
        XCTAssertEqual(upload.headers("Content-Length"), ["\(megabytes << 20)"])
        XCTAssertEqual(upload.headers("Transfer-Encoding"), [])
    }

    /// Runs the upload in the other process. Does nothing in this one.
    func testTheProcessOfItsOwn() async throws {
        guard let path = Self.settings["RECORDKIT_UPLOAD_FILE"], let address = Self.settings["RECORDKIT_UPLOAD_SERVER"]
        else { return }
        let configuration = NetworkSession(NetworkConfiguration(environment: NetworkEnvironment(address)))
        _ = try await configuration.value(for: Ask<String>())
        let idle = try memory("VmRSS")
        // Resets the peak, so that it is measured from here on (proc(5), clear_refs).
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let begin = ContinuousClock.now
        let ask = Ask<String>(
            method: .put, content: FileBody(URL(filePath: path)), options: RequestOptions(timeout: .seconds(300)))
        _ = try await configuration.value(for: ask)
        print("took \(ContinuousClock.now - begin)")
        print("peak above idle: \(try memory("VmHWM") - idle) KB")
    }

    private func memory(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try XCTUnwrap(status.split(separator: "\n").first { $0.hasPrefix(name) })
        return try XCTUnwrap(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
    }
}
#endif
