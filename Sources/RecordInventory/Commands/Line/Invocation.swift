/// The meaning of the arguments of a run.
struct Invocation: Sendable {
    enum Action: Sendable {
        /// Shows the help of the tool, or of one command.
        case help((any Command.Type)?)
        case version
        case run(any Command)
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
        let command = isHelp ? nil : try word.map { word throws(UsageError) in try CommandList.command(named: word) }
        do throws(UsageError) {
            let scanned = try ArgumentScanner(rest, options: Option.global + (command?.usage.options ?? []))
            var options = try GlobalOptions(scanned)
            if isHelp {
                if scanned.operands.count > 1 {
                    throw UsageError("help takes no argument \"\(scanned.operands[1].shown)\"")
                }
                action = .help(try scanned.operands.first.map(CommandList.command))
            } else if scanned.has("--help") || scanned.has("-h") {
                action = .help(command)
            } else if scanned.has("--version") {
                action = .version
            } else if let command {
                try scanned.checkOperands(of: command.usage)
                try scanned.check(command.usage.rules, of: command.usage.name)
                let command = try command.init(scanned)
                try command.adjust(&options, scanned)
                action = .run(command)
            } else {
                throw UsageError("which command? \(CommandList.all.map { $0.usage.name }.joined(separator: ", "))")
            }
            self.options = options
        } catch {
            throw UsageError(error.message, command: command?.usage.name)
        }
    }

    /// Returns the index of the first word that is neither an option nor the value of one.
    static func commandPosition(in arguments: [String]) throws(UsageError) -> Int? {
        var position = 0
        while position < arguments.count {
            let argument = arguments[position]
            guard argument.hasPrefix("-"), argument != "-" else { return position }
            if argument == "--" { return nil }
            let (name, attached) = ArgumentScanner.split(argument)
            guard let option = Option.global.first(where: { $0.name == name }) else {
                if CommandList.all.contains(where: { $0.usage.options.contains { $0.name == name } }) {
                    throw UsageError("\(name) belongs to a command and stands after it")
                }
                throw UsageError(UnknownName("option", name, among: Option.global.map(\.name)))
            }
            position += option.value != nil && attached == nil ? 2 : 1
        }
        return nil
    }
}
