import Foundation
import RecordKitJSON

/// One run of the tool: parses the arguments, runs the command and reports errors.
struct Shell: Sendable {
    let results: Output
    let messages: Output
    let input: Input
    let environment: [String: String]

    /// Runs the command in `arguments`.
    ///
    /// - Parameters:
    ///   - arguments: The arguments without the name of the tool. `nil` is an argument that is not UTF-8.
    ///   - run: Runs a command.
    func run(
        _ arguments: [String?],
        run: @Sendable (any Command, GlobalOptions, Settings, Console) async throws -> ExitCode = {
            try await CommandContext.run($0, $1, $2, $3)
        }
    ) async -> ExitCode {
        let invocation = Result { () throws(UsageError) in try Invocation(arguments) }
        // The error may be in the options themselves.
        let options = (try? invocation.get())?.options ?? GlobalOptions()
        let console = Console(
            results: results, messages: messages, input: input, verbosity: options.verbosity,
            allowsColor: !options.has("--no-color") && allowsColor, forcesColor: forcesColor, canErase: !isDumb,
            allowsInput: !options.has("--no-input"),
            pager: !options.has("--no-pager") && !isDumb ? Pager.command(environment) : nil)
        do {
            let invocation = try invocation.get()
            var exitCode = ExitCode.done
            switch invocation.action {
            case .help(let command): try console.print(HelpText.text(of: command))
            case .version: try console.print("record-inventory \(Project.version)")
            case .run(let command):
                let settings = try Settings(
                    options, environment: environment, config: ConfigFile(environment))
                exitCode = try await run(command, options, settings, console)
            }
            do {
                try console.flush()
            } catch {
                // The reader of the output has gone. The result of the command stays the same.
                guard error.isClosedPipe else { throw error }
            }
            return exitCode
        } catch {
            let isJSON =
                options.output.format == .json || (try? invocation.get()) == nil && arguments.contains("--json")
            return report(error, on: console, isJSON: isJSON)
        }
    }

    /// Whether colors are allowed. Any non-empty NO_COLOR forbids them (no-color.org).
    private var allowsColor: Bool {
        environment["NO_COLOR"]?.isEmpty ?? true && (forcesColor || !isDumb)
    }

    /// Whether there are colors on pipes too (bixense.com/clicolors).
    private var forcesColor: Bool { !["", "0"].contains(environment["CLICOLOR_FORCE"] ?? "") }

    /// Whether the terminal knows no control sequences, like the shell of an editor.
    private var isDumb: Bool { environment["TERM"] == "dumb" }

    /// - Parameter isJSON: Whether the error is reported as one object.
    private func report(_ error: any Error, on console: Console, isJSON: Bool) -> ExitCode {
        func complain(_ message: String, _ exitCode: ExitCode) -> ExitCode {
            if isJSON {
                let error: JSONValue = [
                    "exit_code": .integer(exitCode.rawValue), "kind": .string("\(exitCode)"),
                    "message": .string(message),
                ]
                console.complain(json: error.text())
            } else {
                console.complain(message)
            }
            return exitCode
        }
        console.showProgress(nil)
        // A pager has the screen until then. An error of the output is reported below.
        try? console.flush()
        switch error {
        case let error as FileError where error.isClosedPipe:
            // The reader of the output has gone, which is no error.
            return .done
        case let error as UsageError:
            return complain(isJSON ? error.message : "\(error)", .usage)
        case let failure as CommandFailure:
            return complain(failure.message, failure.exitCode)
        case is CancellationError:
            return .interrupted
        default:
            return complain("\(error)", .failed)
        }
    }
}

extension Shell {
    /// Creates a shell on the streams of this process. A closed pipe becomes an error and does not end the process.
    static func standard() -> Shell {
        signal(SIGPIPE, SIG_IGN)
        reserveClosedStreams()
        let environment = ProcessInfo.processInfo.environment
        return Shell(
            results: .descriptor(STDOUT_FILENO, environment: environment),
            messages: .descriptor(STDERR_FILENO, environment: environment),
            input: .descriptor(STDIN_FILENO), environment: environment)
    }

    /// Opens `/dev/null` for each standard stream that is closed. Otherwise the next file that is opened would take its
    /// number, and receive what is meant for the stream. Each is opened for the wrong direction, so that its use fails
    /// as on a closed stream.
    private static func reserveClosedStreams() {
        for (stream, useless) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(stream, F_GETFD) == -1 {
            // `open` returns the lowest free number. The numbers below this one are taken by now.
            _ = open("/dev/null", useless)
        }
    }
}
