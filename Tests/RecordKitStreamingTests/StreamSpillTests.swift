import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// Unread bytes above the limit wait in a file: in order, all of them, and without memory.
final class StreamSpillTests: TimedTestCase {
    /// A chunk whose bytes tell its number.
    private func chunk(_ number: Int, _ count: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: number), count: count)
    }

    func testASlowReaderGetsEveryByteInOrder() async throws {
        let (bytes, writer) = NetworkBytes.makeStream(bufferLimit: 100) {}
        var reader = bytes.makeAsyncIterator()
        var random = SplitMix(seed: 7)
        var written = Data()
        var read = Data()
        for number in 0..<2000 {
            let chunk = chunk(number, .random(in: 1...60, using: &random))
            let unread = writer.write(chunk)
            written += chunk
            XCTAssertEqual(unread, written.count - read.count)
            // Falls behind, catches up, and falls behind again.
            let reads = number % 500 < 400 ? Int.random(in: 0...1, using: &random) : 3
            for _ in 0..<reads where read.count < written.count {
                let next = try await reader.next()
                read += try XCTUnwrap(next)
            }
        }
        writer.finish()
        while let next = try await reader.next() { read += next }
        XCTAssertEqual(read, written)
    }

    func testAStoppedStreamDropsWhatWaits() async throws {
        let (bytes, writer) = NetworkBytes.makeStream(bufferLimit: 10) {}
        for number in 0..<100 { writer.write(chunk(number, 10)) }
        bytes.cancel()
        XCTAssertEqual(writer.write(chunk(1, 10)), 0)
        var reader = bytes.makeAsyncIterator()
        let error = await networkError { try await reader.next() }
        guard case .cancelled = error else { return XCTFail("\(error as Any)") }
    }

    func testAnErrorComesAfterWhatWaits() async throws {
        let (bytes, writer) = NetworkBytes.makeStream(bufferLimit: 10) {}
        for number in 0..<100 { writer.write(chunk(number, 10)) }
        writer.finish(throwing: .badResponse(NetworkError.BadResponse(host: "store.example", cause: nil)))
        var reader = bytes.makeAsyncIterator()
        var count = 0
        do {
            while let next = try await reader.next() { count += next.count }
            XCTFail("It ended.")
        } catch {
            guard case .badResponse = error else { return XCTFail("\(error)") }
        }
        XCTAssertEqual(count, 1000)
    }

    func testAFolderThatCannotBeWrittenEndsTheStream() async throws {
        let folder = ProcessInfo.processInfo.environment["TMPDIR"]
        setenv("TMPDIR", "/nonexistent", 1)
        defer { if let folder { setenv("TMPDIR", folder, 1) } else { unsetenv("TMPDIR") } }
        let stopped = ResponseGate()
        let (bytes, writer) = NetworkBytes.makeStream(bufferLimit: 10) { stopped.open() }
        for number in 0..<3 { writer.write(chunk(number, 10)) }
        XCTAssertTrue(stopped.isOpen)
        var reader = bytes.makeAsyncIterator()
        let error = await networkError { try await reader.next() }
        guard case .file(let file) = error else { return XCTFail("\(error as Any)") }
        XCTAssertEqual(file.reason, .noFolder)
    }

    #if os(Linux)
    func testTheFilesOfAReaderThatStaysBehindDoNotGrow() async throws {
        let (bytes, writer) = NetworkBytes.makeStream(bufferLimit: 10) {}
        var reader = bytes.makeAsyncIterator()
        var (written, read, largest) = (0, 0, 0)
        for number in 0..<(64 << 4) {
            writer.write(chunk(number, 1 << 16))
            written += 1 << 16
            while written - read > 3 << 20 {
                let next = try await reader.next()
                let data = try XCTUnwrap(next)
                // A chunk may be split, and others joined.
                XCTAssertEqual(data.first, UInt8(truncatingIfNeeded: read >> 16))
                XCTAssertEqual(data.last, UInt8(truncatingIfNeeded: (read + data.count - 1) >> 16))
                read += data.count
            }
            if number % 16 == 0 { largest = max(largest, Self.spilled.bytes) }
        }
        XCTAssertGreaterThan(largest, 1 << 20)
        XCTAssertLessThan(largest, 24 << 20)
    }

    /// The open temporary files that have no name any more, and their size.
    private static var spilled: (count: Int, bytes: Int) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.reduce(into: (0, 0)) { sum, name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            var figures = stat()
            guard let target, target.contains("/RecordKit-"), target.hasSuffix("(deleted)"),
                stat("/proc/self/fd/\(name)", &figures) == 0
            else { return }
            sum.count += 1
            sum.bytes += Int(figures.st_size)
        }
    }

    func testUnreadChunksNeedLittleMemory() async throws {
        let (bytes, writer) = NetworkBytes.makeStream {}
        // Resets the peak, so that it is measured from here on (proc(5), clear_refs).
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let before = ProcessFigures.now.memory
        for number in 0..<128 { writer.write(chunk(number, 1 << 20)) }
        if !ProcessFigures.areSanitized { XCTAssertLessThan(ProcessFigures.now.memory - before, 16 << 10) }
        var reader = bytes.makeAsyncIterator()
        writer.finish()
        var count = 0
        while let next = try await reader.next() {
            XCTAssertEqual(next.first, UInt8(truncatingIfNeeded: count >> 20))
            count += next.count
        }
        XCTAssertEqual(count, 128 << 20)
        if !ProcessFigures.areSanitized { XCTAssertLessThan(ProcessFigures.now.peak - before, 16 << 10) }
    }

    func testAResponseThatIsNotReadWaitsInAFile() async throws {
        let server = try LoopbackServer(responses: [.status(200, body: Data(repeating: 7, count: 4 << 20))])
        let network = NetworkSession(NetworkConfiguration(server.url, options: RequestOptions(bufferLimit: 1 << 10)))
        let chunks = NetworkManager(network).chunks(for: Ask<Data>())
        let first = try await chunks.first()
        await until { Self.spilled.count == 1 }
        let count = try await chunks.reduce(into: first?.count ?? 0) { $0 += $1.count }
        XCTAssertEqual(count, 4 << 20)
        XCTAssertEqual(Self.spilled.count, 0)
    }
    #endif
}
