/// Why a command did not do what it was asked to: the exit code for scripts, the sentence for people.
struct CommandFailure: Error, Equatable {
    let exitCode: ExitCode
    /// What happened, why, and what to do. It may quote data: the console escapes it.
    let message: String

    init(_ exitCode: ExitCode, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }
}

/// What was typed is not understood: said before anything is read, asked or written.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let message: String
    /// The command whose help explains it, if it got that far.
    var command: CommandName?

    init(_ message: String, command: CommandName? = nil) {
        self.message = message
        self.command = command
    }

    init(_ error: UnknownName) {
        self.init(error.description)
    }

    var description: String {
        let help = ["record-inventory", command?.rawValue, "--help"].compactMap(\.self).joined(separator: " ")
        return "\(message)\nTry '\(help)'."
    }
}

/// How a run of the tool ended, as scripts and shells see it.
enum ExitCode: Int32, Sendable {
    case done = 0
    case failed = 1
    /// The server was not reached or did not answer in time, or what came back does not tell whether a change was made.
    case network = 2
    case notFound = 3
    /// The server wants a sign-in, or the account may not do this.
    case notAllowed = 4
    /// A SKU that exists already, a record that somebody else changed, or not enough stock.
    case conflict = 5
    case rateLimited = 6
    /// Some went through, some did not: a file with bad rows, or a change whose result could not be written.
    case partlyDone = 7
    case usage = 64
    /// The input file is not what it should be.
    case badData = 65
    case interrupted = 130
}
