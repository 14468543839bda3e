/// Why a command failed: the exit code for scripts, and the message for people.
struct CommandFailure: Error, Equatable {
    let exitCode: ExitCode
    /// What happened, why, and what to do. May quote data, since the console escapes it.
    let message: String

    init(_ exitCode: ExitCode, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }
}

/// An error in the arguments, found before anything is read, asked or written.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let message: String
    /// The name of the command whose help to refer to, if the command is known.
    var command: String?

    init(_ message: String, command: String? = nil) {
        self.message = message
        self.command = command
    }

    init(_ error: UnknownName) {
        self.init(error.description)
    }

    var description: String {
        let help = ["record-inventory", command, "--help"].compactMap(\.self).joined(separator: " ")
        return "\(message)\nTry '\(help)'."
    }
}

/// The exit code of a run, for scripts and shells.
enum ExitCode: Int32, Sendable {
    case done = 0
    case failed = 1
    /// The server could not be reached or did not answer in time, or its response does not tell whether a change was
    /// made.
    case network = 2
    case notFound = 3
    /// The server requires other credentials, or the account lacks a permission.
    case notAllowed = 4
    /// The SKU exists already, the record was changed by another program, or there is not enough stock.
    case conflict = 5
    case rateLimited = 6
    /// Part of the work was done: some rows of a file, or a change whose result could not be written.
    case partlyDone = 7
    case usage = 64
    /// The input file has the wrong format.
    case badData = 65
    case interrupted = 130
}
