import Foundation

/// A program such as `less` that shows a long table page by page.
final class Pager {
    private let stream: UnsafeMutablePointer<FILE>
    private let descriptor: Descriptor

    /// Starts a command line. `nil` if that fails.
    init?(_ command: String) {
        // Foundation's Process would make it a background process (Swift 6.3.1), which may not read the keyboard.
        guard let stream = popen(command, "w") else { return nil }
        self.stream = stream
        descriptor = Descriptor(borrowing: fileno(stream))
    }

    /// Writes text. The error is `isClosedPipe` if the person has left.
    func write(_ text: String) throws(FileError) {
        guard descriptor.write(Array(text.utf8)) else { throw FileError(path: "-", action: .written, code: errno) }
    }

    /// Waits until the person leaves. Control-C means the pager alone meanwhile.
    func close() {
        let handler = signal(SIGINT, SIG_IGN)
        pclose(stream)
        signal(SIGINT, handler)
    }

    /// Returns the command line for long tables: `PAGER`, or `less`. `nil` if the program is missing.
    static func command(_ environment: [String: String]) -> String? {
        let command = environment["PAGER"] ?? "less -FRX"
        guard let program = command.split(separator: " ").first(where: { !$0.contains("=") }), program != "cat" else {
            return nil
        }
        let folders = program.contains("/") ? [""] : (environment["PATH"] ?? "").split(separator: ":").map { $0 + "/" }
        return folders.contains { FileManager.default.isExecutableFile(atPath: $0 + program) } ? command : nil
    }
}
