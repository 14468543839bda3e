/// What was typed is not understood: said before anything is read, asked or written.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let message: String
    /// The command whose help explains it, if it got that far.
    var command: CommandName?

    init(_ message: String, command: CommandName? = nil) {
        self.message = message
        self.command = command
    }

    var description: String {
        let help = ["record-inventory", command?.rawValue, "--help"].compactMap(\.self).joined(separator: " ")
        return "\(message)\nTry '\(help)'."
    }

    /// A name that does not exist, with the one that was probably meant.
    static func unknown(_ kind: String, _ name: String, among names: [String], prefix: String = "") -> UsageError {
        let hint = Spelling.nearest(to: name, in: names).map { "; did you mean \(prefix)\($0)?" } ?? ""
        let typed = prefix + name.shown
        return UsageError("there is no \(kind) \(typed.isEmpty ? "\"\"" : typed)\(hint)")
    }
}
