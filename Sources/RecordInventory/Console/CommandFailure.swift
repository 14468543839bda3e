/// Why a command failed: the exit code for scripts, and the message for people.
struct CommandFailure: Error, Equatable {
    let exitCode: ExitCode
    /// What happened, why, and what to do. May have several lines, so what it quotes of data is `printable`.
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

extension String {
    /// Parses a value that was typed. The error names the option, and quotes the value.
    ///
    /// - Parameter name: The option, or a word for the value.
    func parsed<Value>(
        as name: String, _ parse: (String) throws(InvalidValue) -> Value
    ) throws(UsageError) -> Value {
        do {
            return try parse(self)
        } catch {
            throw UsageError("\(name) \"\(shown)\": \(error.reason)")
        }
    }
}

/// The exit code of a run, for scripts and shells.
enum ExitCode: Int32, CaseIterable, Sendable {
    case done = 0
    case failed = 1
    /// The server could not be reached or did not respond in time, or its response does not indicate whether a change
    /// was made.
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

    /// The meaning, for the help and the manual page.
    var text: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .network: "network or timeout"
        case .notFound: "not found"
        case .notAllowed: "sign-in or not allowed"
        case .conflict: "conflict or not enough stock"
        case .rateLimited: "rate limited"
        case .partlyDone: "partly done, or done but the result could not be written"
        case .usage: "usage"
        case .badData: "bad input data"
        case .interrupted: "interrupted"
        }
    }
}
