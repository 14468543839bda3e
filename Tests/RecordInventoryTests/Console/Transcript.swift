import Synchronization

@testable import RecordInventory

/// Output that is kept in memory.
final class Transcript: Sendable {
    private let written = Mutex("")

    var text: String { written.withLock { $0 } }

    func output(isTerminal: Bool = false, columns: Int = 80) -> Output {
        Output(
            isTerminal: isTerminal, columns: { columns },
            write: { text throws(FileError) in self.written.withLock { $0 += text } })
    }
}

extension Output {
    static func failing(_ code: Int32) -> Output {
        Output(
            isTerminal: false, columns: { 80 },
            write: { _ throws(FileError) in throw FileError(path: "-", action: .written, code: code) })
    }
}

extension Input {
    /// Returns an input that delivers these strings, one a read, then the end.
    static func texts(_ texts: String..., isTerminal: Bool = false, echo: @escaping @Sendable (Bool) -> Void = { _ in })
        -> Input
    { Input.texts(texts, isTerminal: isTerminal, echo: echo) }

    static func texts(_ texts: [String], isTerminal: Bool = false, echo: @escaping @Sendable (Bool) -> Void = { _ in })
        -> Input
    {
        let rest = Mutex(texts[...])
        return Input(
            isTerminal: isTerminal, read: { rest.withLock { $0.popFirst().map { Array($0.utf8) } ?? [] } }, echo: echo)
    }
}
