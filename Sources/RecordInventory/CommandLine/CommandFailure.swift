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
