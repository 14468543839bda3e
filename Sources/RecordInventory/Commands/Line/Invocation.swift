/// The meaning of the arguments of a run.
struct Invocation: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        /// Shows the help of the tool, or of one command.
        case help(CommandName?)
        case version
        case run(Command)
    }

    let action: Action
    let options: GlobalOptions

    /// Parses the arguments without the name of the tool. `nil` is an argument that is not UTF-8.
    init(_ typed: [String?]) throws(UsageError) {
        if let index = typed.firstIndex(of: nil) {
            throw UsageError("argument \(index + 1) is not UTF-8 text: type it in a UTF-8 locale")
        }
        let arguments = typed.compactMap(\.self)
        // The command is the first word that is neither an option nor the value of one.
        var rest = arguments
        let word = try Self.commandPosition(in: arguments).map { rest.remove(at: $0) }
        let isHelp = word == "help"
        let name = isHelp ? nil : try word.map { word throws(UsageError) in try CommandName(typed: word) }
        do throws(UsageError) {
            let scanned = try ArgumentScanner(rest, options: Option.global + (name?.options ?? []))
            options = try GlobalOptions(scanned)
            if isHelp {
                action = .help(try Self.topic(scanned.operands))
            } else if scanned.has("--help") || scanned.has("-h") {
                action = .help(name)
            } else if scanned.has("--version") {
                action = .version
            } else if let name {
                action = .run(try Command(name, scanned))
            } else {
                throw UsageError("which command? \(CommandName.allCases.map(\.rawValue).joined(separator: ", "))")
            }
        } catch {
            throw UsageError(error.message, command: name)
        }
    }

    /// Returns the command that `help` is about, or `nil` for the tool.
    private static func topic(_ operands: [String]) throws(UsageError) -> CommandName? {
        if operands.count > 1 { throw UsageError("help takes no argument \"\(operands[1].shown)\"") }
        return try operands.first.map { word throws(UsageError) in try CommandName(typed: word) }
    }

    private static func commandPosition(in arguments: [String]) throws(UsageError) -> Int? {
        var position = 0
        while position < arguments.count {
            let argument = arguments[position]
            guard argument.hasPrefix("-"), argument != "-" else { return position }
            if argument == "--" { return nil }
            let (name, attached) = ArgumentScanner.split(argument)
            guard let option = Option.global.first(where: { $0.name == name }) else {
                if CommandName.allCases.contains(where: { $0.options.contains { $0.name == name } }) {
                    throw UsageError("\(name) belongs to a command and stands after it")
                }
                throw UsageError(UnknownName("option", name, among: Option.global.map(\.name)))
            }
            position += option.value != nil && attached == nil ? 2 : 1
        }
        return nil
    }
}

extension CommandName {
    fileprivate init(typed word: String) throws(UsageError) {
        guard let name = CommandName(rawValue: word) else {
            throw UsageError(UnknownName("command", word, among: Self.allCases.map(\.rawValue)))
        }
        self = name
    }
}
