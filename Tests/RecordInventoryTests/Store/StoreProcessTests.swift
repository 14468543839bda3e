// The child process runs this test program again with one test. Other systems start tests in another way.
#if os(Linux)
import RecordKitJSON
import Glibc
import RecordKit
import RecordKitSQLite
import TestSupport
import XCTest

@testable import RecordInventory

final class StoreProcessTests: TimedTestCase {
    /// The records, as a batch names them.
    private static let batched = "/buckets/shop/collections/records/records"
    private static let records = "/v1" + batched
    private static let batches = 20
    private static let batchSize = 50
    private static let fileName = "STORE_WRITER_FILE"
    private static let writerName = "STORE_WRITER_NAME"

    /// Runs in a child process, on the file that its parent names. Without a parent, uses a file of its own.
    func testWriter() async throws {
        let folder = try TemporaryFolder()
        let environment = ProcessInfo.processInfo.environment
        let file = environment[Self.fileName].map { URL(filePath: $0) } ?? folder.url.appending(path: "store.sqlite")
        let answered = try await Self.write(as: environment[Self.writerName] ?? "alone", to: EmbeddedStore(file: file))
        XCTAssertEqual(answered, Self.batches)
    }

    func testManyProcessesMakeAndFillOneStore() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "new/store.sqlite")
        let writers = try (0..<4).map { try Self.start("w\($0)", file).process }
        for writer in writers {
            writer.waitUntilExit()
            XCTAssertEqual(writer.terminationStatus, 0)
        }
        let store = EmbeddedStore(file: file)
        let total = try await store.respond(to: StoreRequest(method: .get, path: Self.records))
        XCTAssertEqual(
            try JSONValue(stored: total.body).object?["data"]?.array?.count, 4 * Self.batches * Self.batchSize)
        let versions = try StoreFile.open(file).statement("SELECT count(DISTINCT version) FROM objects WHERE list = 3")
            .first { $0.integer(0) }
        XCTAssertEqual(versions, Int64(4 * Self.batches * Self.batchSize))
    }

    func testAKilledProcessLeavesWholeBatches() async throws {
        let folder = try TemporaryFolder()
        for round in 0..<3 {
            let file = folder.url.appending(path: "store\(round).sqlite")
            let writer = try Self.start("w", file)
            var output = ""
            while !output.contains("answered \(round * 4 + 1)\n") {
                let data = writer.output.availableData
                guard !data.isEmpty else { break }
                output += String(decoding: data, as: UTF8.self)
            }
            kill(writer.process.processIdentifier, SIGKILL)
            writer.process.waitUntilExit()
            XCTAssertEqual(writer.process.terminationReason, .uncaughtSignal)

            let check = try StoreFile.open(file).statement("PRAGMA integrity_check").first { $0.text(0) }
            XCTAssertEqual(check, "ok")
            let store = EmbeddedStore(file: file)
            let list = try await store.respond(to: StoreRequest(method: .get, path: Self.records))
            let found = try JSONValue(stored: list.body).object?["data"]?.array ?? []
            XCTAssertEqual(found.count % Self.batchSize, 0, "a batch is stored completely or not at all")
            XCTAssertGreaterThanOrEqual(found.count, (round * 4 + 1) * Self.batchSize, "all responses are stored")
            XCTAssertTrue(found.allSatisfy { $0.object?["notes"]?.string?.count == 500 })

            assertEqual(try await Self.write(as: "w", to: store), Self.batches)
            let total = try await store.respond(to: StoreRequest(method: .get, path: Self.records))
            XCTAssertEqual(
                try JSONValue(stored: total.body).object?["data"]?.array?.count, Self.batches * Self.batchSize)
        }
    }

    /// Creates the shop and writes all batches, except for records that exist already. Returns the number of responses.
    private static func write(as writer: String, to store: EmbeddedStore) async throws -> Int {
        for path in ["/v1/buckets/shop", "/v1/buckets/shop/collections/records"] {
            _ = try await store.respond(to: StoreRequest(method: .put, path: path))
        }
        var answered = 0
        let notes = JSONValue.string(String(repeating: "n", count: 500))
        for batch in 0..<batches {
            let requests = (0..<batchSize).map { index -> JSONValue in
                [
                    "method": "PUT", "path": .string("\(batched)/\(writer)-\(batch)-\(index)"),
                    "headers": ["If-None-Match": "*"], "body": ["data": ["notes": notes]],
                ]
            }
            let response = try await store.respond(
                to: StoreRequest(method: .post, path: "/v1/batch", body: .json(["requests": .array(requests)])))
            guard response.status == 200 else { continue }
            answered += 1
            if writer == "alone" { continue }
            // Reports the progress to the parent.
            try FileHandle.standardOutput.write(contentsOf: Data("answered \(answered)\n".utf8))
        }
        return answered
    }

    private static func start(_ name: String, _ file: URL) throws -> (process: Process, output: FileHandle) {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["RecordInventoryTests.StoreProcessTests/testWriter"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            [fileName: file.path, writerName: name]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.killAfterTwoMinutes()
        return (process, pipe.fileHandleForReading)
    }
}
#endif
