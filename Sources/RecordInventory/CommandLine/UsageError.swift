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
