import Foundation
import XCTest

/// One test of this bundle in a process of its own: for what would end the process, or wants another view of the
/// machine.
struct ChildProcess {
    /// Set in the child; names what it is to do.
    static let task = ProcessInfo.processInfo.environment["RECORDKIT_CHILD"]

    let status: Int32
    let output: String

    /// Runs a test, such as `RecordKitTests.AbortTests/testInTheChild`, with a task to do.
    ///
    /// - Parameter wrapper: a command that is given the child's command line as its last arguments.
    static func run(_ test: String, task: String, wrapper: [String] = []) throws -> ChildProcess {
        let process = Process()
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let command = wrapper + [bundle, test]
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        // A backtrace of a child that is meant to end would take longer than the child, and may outlive it.
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
