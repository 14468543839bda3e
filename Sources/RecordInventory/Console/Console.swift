import Foundation
import Synchronization

/// The output of the tool: results on standard output, messages on standard error.
///
/// Buffers results for files and pipes, so call `flush()` at the end.
final class Console: Sendable {
    enum Verbosity: Comparable, Sendable {
        case quiet, normal, verbose
    }

    private struct State {
        var pending = ""
        var failure: FileError?
        /// The progress line on the terminal.
        var progress: String?
        /// The program that shows the results.
        var pager: Pager?
        /// The messages for the time after the pager, which has the screen.
        var held = ""
    }

    let results: Output
    let messages: Output
    let input: Input
    let verbosity: Verbosity
    private let allowsColor: Bool
    private let forcesColor: Bool
    private let canErase: Bool
    private let pager: String?
    let allowsInput: Bool
    private let lines: Mutex<LineReader>
    private let state = Mutex(State())

    /// - Parameters:
    ///   - forcesColor: Whether there are colors elsewhere than on a terminal too.
    ///   - canErase: Whether the terminal can erase a line, as progress requires.
    ///   - pager: The command line that shows tables longer than the screen, or `nil` for none.
    init(
        results: Output, messages: Output, input: Input, verbosity: Verbosity = .normal, allowsColor: Bool = true,
        forcesColor: Bool = false, canErase: Bool = true, allowsInput: Bool = true, pager: String? = nil
    ) {
        self.forcesColor = forcesColor
        self.pager = pager
        self.results = results
        self.messages = messages
        self.input = input
        self.verbosity = verbosity
        self.allowsColor = allowsColor
        self.canErase = canErase
        self.allowsInput = allowsInput
        lines = Mutex(LineReader(input))
    }

    /// Writes a line of results as it is. Escape data with `Table`, `escapedForTabs` or JSON.
    func print(_ line: String) throws(FileError) {
        try write(line + "\n")
    }

    private func write(_ text: String) throws(FileError) {
        try state.withLock { state throws(FileError) in
            state.pending += text
            if results.isTerminal || state.pending.utf8.count >= 65_536 { flush(&state) }
            if let failure = state.failure { throw failure }
        }
    }

    /// Writes a table, with its title in bold on a terminal. If it is longer than the screen, a pager shows it, and
    /// what follows until the next question.
    func print(_ table: Table) throws(FileError) {
        let lines = table.lines(width: results.isTerminal ? results.columns() : .max)
        if results.isTerminal, let pager, lines.count >= results.rows() {
            state.withLock { state in
                guard state.pager == nil else { return }
                flush(&state)
                erase(&state)
                state.pager = Pager(pager)
            }
        }
        for (index, line) in lines.enumerated() {
            try print(index == 0 ? styled(line, .bold, on: results) : line)
        }
    }

    /// Writes rows: an aligned table on a terminal, and tab-separated lines elsewhere.
    func print(_ rows: [[String]], _ columns: [Table.Column]) throws(FileError) {
        guard results.isTerminal else {
            for row in rows { try print(fields: row) }
            return
        }
        if rows.isEmpty { return }
        var table = Table(columns)
        for row in rows { table.add(row) }
        try print(table)
    }

    /// Writes JSON, escaped for a terminal.
    func print(json: String) throws(FileError) {
        try write(json: json + "\n")
    }

    /// Writes a part of JSON, escaped for a terminal.
    func write(json: String) throws(FileError) {
        try write(results.isTerminal ? json.escapedLines : json)
    }

    /// Writes fields separated by tabs, escaped. `nil` is an empty field.
    func print(fields: [String?]) throws(FileError) {
        try print(fields.map { $0?.escapedForTabs ?? "" }.joined(separator: "\t"))
    }

    /// Writes buffered results, and waits for a pager to end. Throws earlier errors too.
    func flush() throws(FileError) {
        try state.withLock { state throws(FileError) in
            flush(&state)
            endPaging(&state)
            if let failure = state.failure { throw failure }
        }
    }

    /// Writes a message for people, except with `--quiet`.
    func note(_ text: String) {
        if verbosity >= .normal { say(text.escapedLines) }
    }

    /// Writes a message for diagnosis, only with `--verbose`.
    func detail(_ text: String) {
        if verbosity == .verbose { say(styled(text.escapedLines, .dim, on: messages)) }
    }

    /// Writes an error message, always.
    /// Reports an error as JSON, for scripts.
    func complain(json text: String) { say(text) }

    func complain(_ text: String) {
        say(styled("record-inventory:", .red, on: messages) + " " + text.escapedLines)
    }

    /// Returns the next line of the input without its end, or `nil` at the end. The password, the answers to questions
    /// and the scanned codes come one after the other.
    func nextLine() throws -> String? {
        try lines.withLock { lines in try lines.next() }
    }

    /// Returns the next code that was scanned, or another line. See ``LineReader/nextScan(words:)``. Reports lines that
    /// are too long.
    ///
    /// - Parameter isTooLong: Becomes `true` if there was one.
    func nextScan(words: [String] = [], _ isTooLong: inout Bool) throws -> String? {
        while true {
            do {
                return try lines.withLock { lines in try lines.nextScan(words: words) }
            } catch let error as LineTooLong {
                isTooLong = true
                complain("\(error)")
            }
        }
    }

    /// Whether both input and messages are on a terminal, so that a question can be asked.
    var canAsk: Bool { allowsInput && input.isTerminal && messages.isTerminal }

    /// Asks a yes-or-no question. Anything but yes is no. Returns `nil` without a terminal.
    func confirm(_ question: String) throws -> Bool? {
        guard canAsk else { return nil }
        let answer = try ask(question.escapedForTerminal + " [y/N] ")
        return ["y", "yes"].contains(answer?.trimmed.lowercased())
    }

    /// Asks for a secret, which the terminal does not show. Returns `nil` as `ask` does. Ignores Control-Z and
    /// Control-\ meanwhile: if the process stopped or ended here, the terminal would no longer show what is typed.
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

    /// Whether a person sees the progress of work.
    var showsProgress: Bool { messages.isTerminal && canErase && verbosity >= .normal }

    /// Shows a line at the bottom of the terminal until the next call. `nil` removes it.
    func showProgress(_ line: String?) {
        guard showsProgress else { return }
        state.withLock { state in
            guard state.progress != line, state.pager == nil else { return }
            erase(&state)
            state.progress = line
            if let line { try? messages.write(line) }
        }
    }

    /// Asks for a line. Returns `nil` without a terminal, or at the end of the input.
    func ask(_ prompt: String) throws -> String? {
        guard canAsk else { return nil }
        state.withLock { state in
            flush(&state)
            endPaging(&state)
            erase(&state)
            try? messages.write(prompt)
        }
        return try nextLine()
    }

    private func say(_ text: String) {
        state.withLock { state in
            flush(&state)  // so that the streams keep their order where both go to one place
            guard state.pager == nil else {
                state.held += text + "\n"
                return
            }
            let progress = state.progress
            erase(&state)
            // An error of standard error cannot be reported.
            try? messages.write(text + "\n" + (progress ?? ""))
            state.progress = progress
        }
    }

    private func flush(_ state: inout State) {
        guard state.failure == nil, !state.pending.isEmpty else { return }
        if results.isTerminal { erase(&state) }
        do {
            if let pager = state.pager { try pager.write(state.pending) } else { try results.write(state.pending) }
        } catch {
            state.failure = error
        }
        state.pending = ""
    }

    private func endPaging(_ state: inout State) {
        guard let pager = state.pager else { return }
        pager.close()
        try? messages.write(state.held)
        state.pager = nil
        state.held = ""
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
        allowsColor && (output.isTerminal || forcesColor) ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
