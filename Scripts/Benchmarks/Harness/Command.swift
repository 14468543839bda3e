import Foundation

/// Runs programs.
enum Command {
    /// Returns the standard output of a program.
    @discardableResult
    static func run(_ program: URL, _ arguments: [String], environment: [String: String] = [:]) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandFailure(program: program.lastPathComponent, arguments, process.terminationStatus)
        }
        return data
    }

    /// Runs a program that is found in PATH by its name.
    @discardableResult
    static func run(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Data {
        try run(URL(filePath: "/usr/bin/env"), [name] + arguments, environment: environment)
    }
}

struct CommandFailure: Error, CustomStringConvertible {
    let description: String
    let status: Int32

    init(program: String, _ arguments: [String], _ status: Int32) {
        self.status = status
        description = "\(program) \(arguments.joined(separator: " ")) ended with \(status)"
    }
}
