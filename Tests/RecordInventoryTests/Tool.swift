import XCTest

@testable import RecordInventory

/// The built tool, run as a process of its own.
struct Tool: Sendable {
    let store: String
    var environment: [String: String] = [:]
    /// The arguments that follow those of each run.
    var options: [String] = []

    struct Outcome: Equatable {
        let exitCode: Int32
        let results: String
        let messages: String

        /// Checks the exit code, that the messages contain all of these, and that the results do.
        @discardableResult
        func expect(
            _ exitCode: Int32, _ said: String..., prints: String..., file: StaticString = #filePath, line: UInt = #line
        ) -> Outcome {
            XCTAssertEqual(self.exitCode, exitCode, messages, file: file, line: line)
            for (output, texts) in [(messages, said), (results, prints)] {
                for text in texts { XCTAssertTrue(output.contains(text), output, file: file, line: line) }
            }
            return self
        }
    }

    /// The tool is built into the folder of the tests.
    static let executable: URL? = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
        let folders = [bundle.bundleURL, bundle.bundleURL.deletingLastPathComponent()]
        return folders.map { $0.appendingPathComponent("record-inventory") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    /// Starts the tool, for two minutes at most. Its output goes to the pipes, or is discarded. A shell may change that
    /// with redirections, such as `<&-`.
    func start(
        _ arguments: [String], input: Pipe? = nil, results: Pipe? = nil, messages: Pipe? = nil,
        redirections: String? = nil
    ) throws -> Process {
        let process = Process()
        let executable = try XCTUnwrap(Self.executable, "the tool was not built beside its tests")
        process.executableURL = redirections == nil ? executable : URL(filePath: "/bin/sh")
        let shell = redirections.map { ["-c", "exec \"$0\" \"$@\" \($0)", executable.path] } ?? []
        process.arguments = shell + arguments + options
        process.environment = environment.merging(["RECORD_INVENTORY_STORE": store]) { given, _ in given }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = results ?? FileHandle.nullDevice
        process.standardError = messages ?? FileHandle.nullDevice
        try process.run()
        process.killAfterTwoMinutes()
        return process
    }

    /// Runs the tool until it ends.
    func run(_ arguments: String..., input: String = "") throws -> Outcome {
        try run(arguments, input: input)
    }

    func run(_ arguments: [String], input: String = "", redirections: String? = nil) throws -> Outcome {
        let pipes = (Pipe(), Pipe(), Pipe())
        let process = try start(
            arguments, input: pipes.0, results: pipes.1, messages: pipes.2, redirections: redirections)
        // No input or output exceeds the buffer of a pipe.
        try pipes.0.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try pipes.0.fileHandleForWriting.close()
        let results = try pipes.1.fileHandleForReading.readToEnd() ?? Data()
        let messages = try pipes.2.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(
            exitCode: process.terminationStatus, results: String(decoding: results, as: UTF8.self),
            messages: String(decoding: messages, as: UTF8.self))
    }
}

extension FileHandle {
    /// Reads until `count` lines with this string have arrived, or the end. Returns the number of lines.
    func waitForLines(with text: String, count: Int) -> Int {
        var read = ""
        while true {
            let found = read.split(separator: "\n").count { $0.contains(text) }
            let data = found < count ? availableData : Data()
            if data.isEmpty { return found }
            read += String(decoding: data, as: UTF8.self)
        }
    }
}
