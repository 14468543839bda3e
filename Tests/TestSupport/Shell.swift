#if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
public import Foundation

/// Returns the output of a command of the system's shell.
///
/// - Parameters:
///   - command: The command, whose arguments are `$1` and so on.
///   - arguments: The arguments.
/// - Throws: `CocoaError` if the command fails.
public func shell(_ command: String, _ arguments: String...) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command, "sh"] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    return data
}
#endif
