import Foundation

/// One run of the tool: reads what was typed, runs the command, and says what went wrong.
struct Shell: Sendable {
    static let version = "0.1.0"

    let results: Output
    let messages: Output
    let input: Input
    let environment: [String: String]

    /// Does what `arguments` ask for, which begin after the name of the tool, and of which one that is not UTF-8 is nil;
    /// `run` does the commands.
    func run(
        _ arguments: [String?],
        run: @Sendable (Command, GlobalOptions, Settings, Console) async throws -> ExitCode
    ) async -> ExitCode {
        let invocation = Result { () throws(UsageError) in try Invocation(arguments) }
        // What is not understood may be among the options.
        let options = (try? invocation.get())?.options ?? GlobalOptions()
        let console = Console(
            results: results, messages: messages, input: input, verbosity: options.verbosity,
            allowsColor: options.allowsColor && allowsColor, canErase: !isDumb)
        do {
            let invocation = try invocation.get()
            var exitCode = ExitCode.done
            switch invocation.action {
            case .help(let command): try console.print(HelpText.text(of: command))
            case .version: try console.print("record-inventory \(Self.version)")
            case .run(let command):
                let settings = try Settings(options, environment: environment)
                exitCode = try await run(command, options, settings, console)
            }
            do {
                try console.flush()
            } catch {
                // Nobody reads any more; what the command came to is as it was.
                guard error.isClosedPipe else { throw error }
            }
            return exitCode
        } catch {
            return report(error, on: console)
        }
    }

    /// no-color.org: any value but an empty one counts.
    private var allowsColor: Bool {
        environment["NO_COLOR"]?.isEmpty ?? true && !isDumb
    }

    /// A terminal that knows no control sequences, such as the shell of an editor.
    private var isDumb: Bool { environment["TERM"] == "dumb" }

    private func report(_ error: any Error, on console: Console) -> ExitCode {
        console.showProgress(nil)
        switch error {
        case let error as FileError where error.isClosedPipe:
            // Nobody reads any more: there is nothing left to say, and nothing went wrong.
            return .done
        case let error as UsageError:
            console.complain("\(error)")
            return .usage
        case let failure as CommandFailure:
            console.complain(failure.message)
            return failure.exitCode
        case is CancellationError:
            return .interrupted
        default:
            console.complain("\(error)")
            return .failed
        }
    }
}

extension Shell {
    /// On the streams of this process. A closed pipe becomes an error instead of the end of the process.
    static func standard() -> Shell {
        signal(SIGPIPE, SIG_IGN)
        reserveClosedStreams()
        let environment = ProcessInfo.processInfo.environment
        return Shell(
            results: .descriptor(STDOUT_FILENO, environment: environment),
            messages: .descriptor(STDERR_FILENO, environment: environment),
            input: .descriptor(STDIN_FILENO), environment: environment)
    }

    /// A stream that was closed beforehand would give its number to the next file that is opened, and what is meant for
    /// the stream would go there. Of what it gets here it can do nothing: so it fails as a closed one does.
    private static func reserveClosedStreams() {
        for (stream, useless) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(stream, F_GETFD) == -1 {
            // The system hands out the lowest number that is free: this one, as those below it are taken by now.
            _ = open("/dev/null", useless)
        }
    }
}
