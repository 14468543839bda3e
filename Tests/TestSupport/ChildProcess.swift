import Foundation
import XCTest

/// Runs one test of this bundle in a process of its own, because the test may end the process or needs another
/// environment.
public struct ChildProcess {
    /// The task of the child process. `nil` in the parent.
    public static let task = ProcessInfo.processInfo.environment["RECORDKIT_CHILD"]

    public let status: Int32
    public let output: String

    /// Runs a test, such as `RecordKitTests.AbortTests/testInTheChild`, with a task.
    ///
    /// - Parameter wrapper: A command that receives the child's command line as its last arguments.
    public static func run(_ test: String, task: String, wrapper: [String] = []) throws -> ChildProcess {
        let process = Process()
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let command = wrapper + [bundle, test]
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        // A backtrace of a child that is expected to end would take longer than the child, and may outlive it.
        let environment = ["RECORDKIT_CHILD": task, "SWIFT_BACKTRACE": "enable=no"]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return ChildProcess(status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
    }
}
