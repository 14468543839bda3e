import Foundation
import Synchronization

/// What the tool says, and where: results on standard output, all else on standard error.
///
/// Results are held back a little when they go to a file or a pipe, so `flush()` has to be the last word.
final class Console: Sendable {
    enum Verbosity: Comparable, Sendable {
        case quiet, normal, verbose
    }

    private struct State {
        var pending = ""
        var failure: FileError?
        /// The progress line that the terminal shows now.
        var progress: String?
    }

    let results: Output
    let messages: Output
    let input: Input
    let verbosity: Verbosity
    private let allowsColor: Bool
    private let canErase: Bool
    private let state = Mutex(State())

    /// - Parameter canErase: whether the terminal can take back what it shows, as a progress line needs.
    init(
        results: Output, messages: Output, input: Input, verbosity: Verbosity = .normal, allowsColor: Bool = true,
        canErase: Bool = true
    ) {
        self.results = results
        self.messages = messages
        self.input = input
        self.verbosity = verbosity
        self.allowsColor = allowsColor
        self.canErase = canErase
    }

    /// Writes a line of results as it is. Data in it has to be escaped: by `Table`, `escapedForTabs` or JSON.
    func print(_ line: String) throws(FileError) {
        try state.withLock { state throws(FileError) in
            state.pending += line
            state.pending += "\n"
            if results.isTerminal || state.pending.utf8.count >= 65_536 { flush(&state) }
            if let failure = state.failure { throw failure }
        }
    }

    /// Writes results of a table: its columns on a terminal, its title in bold.
    func print(_ table: Table) throws(FileError) {
        for (index, line) in table.lines(width: results.columns()).enumerated() {
            try print(index == 0 ? styled(line, .bold, on: results) : line)
        }
    }

    /// Writes JSON, which a terminal can only show.
    func print(json: String) throws(FileError) {
        try print(results.isTerminal ? json.escapedForTerminalJSON : json)
    }

    /// Writes fields with tabs between them, nothing for nil; no field can break the line.
    func print(fields: [String?]) throws(FileError) {
        try print(fields.map { $0?.escapedForTabs ?? "" }.joined(separator: "\t"))
    }

    /// Writes what is held back. Throws also what went wrong before.
    func flush() throws(FileError) {
        try state.withLock { state throws(FileError) in
            flush(&state)
            if let failure = state.failure { throw failure }
        }
    }

    /// Says what people want to know and scripts do not; not with `--quiet`.
    func note(_ text: String) {
        if verbosity >= .normal { say(text.escapedLines) }
    }

    /// Says what helps to find a fault; only with `--verbose`.
    func detail(_ text: String) {
        if verbosity == .verbose { say(styled(text.escapedLines, .dim, on: messages)) }
    }

    /// Says what went wrong, always.
    func complain(_ text: String) {
        say(styled("record-inventory:", .red, on: messages) + " " + text.escapedLines)
    }

    /// Whether somebody sits at a terminal to answer a question.
    var canAsk: Bool { input.isTerminal && messages.isTerminal }

    /// Asks a yes-or-no question; nil where nobody sits at a terminal to answer it. Anything but yes is no.
    func confirm(_ question: String) throws -> Bool? {
        guard let answer = try ask(question.escapedForTerminal + " [y/N] ") else { return nil }
        return ["y", "yes"].contains(answer.trimmed.lowercased())
    }

    /// Asks for a secret, which the terminal does not show; nil where there is no terminal. Control-Z and Control-\ do
    /// nothing meanwhile: a tool that stops or ends here would leave a terminal that shows nothing any more.
    func askSecretly(_ question: String) throws -> String? {
        guard canAsk else { return nil }
        let before = [SIGTSTP, SIGQUIT].map { number in (number, signal(number, SIG_IGN)) }
        defer { for (number, handler) in before { signal(number, handler) } }
        input.echo(false)
        defer {
            input.echo(true)
            say("")
        }
        return try ask(question)
    }

    /// Shows this line as the last on the terminal until the next call; nil takes it away.
    func showProgress(_ line: String?) {
        guard messages.isTerminal, canErase, verbosity >= .normal else { return }
        state.withLock { state in
            guard state.progress != line else { return }
            erase(&state)
            state.progress = line
            if let line { try? messages.write(line) }
        }
    }

    private func ask(_ prompt: String) throws -> String? {
        guard canAsk else { return nil }
        state.withLock { state in
            flush(&state)
            erase(&state)
            try? messages.write(prompt)
        }
        return try input.line() ?? ""
    }

    private func say(_ text: String) {
        state.withLock { state in
            flush(&state)  // so that the streams keep their order where both go to one place
            let progress = state.progress
            erase(&state)
            // Where standard error fails there is nowhere left to say so.
            try? messages.write(text + "\n" + (progress ?? ""))
            state.progress = progress
        }
    }

    private func flush(_ state: inout State) {
        guard state.failure == nil, !state.pending.isEmpty else { return }
        if results.isTerminal { erase(&state) }
        do {
            try results.write(state.pending)
        } catch {
            state.failure = error
        }
        state.pending = ""
    }

    private func erase(_ state: inout State) {
        if state.progress != nil { try? messages.write("\r\u{1B}[K") }
        state.progress = nil
    }
}

extension Console {
    private enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
    }

    private func styled(_ text: String, _ style: Style, on output: Output) -> String {
        output.isTerminal && allowsColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// A message for people: its own line ends stay, all else is escaped.
    fileprivate var escapedLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).escapedForTerminal }
            .joined(separator: "\n")
    }
}
