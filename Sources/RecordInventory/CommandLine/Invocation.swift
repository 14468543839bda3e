/// What the arguments of a run ask for.
struct Invocation: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        /// Of the tool, or of one command.
        case help(CommandName?)
        case version
        case run(Command)
    }

    let action: Action
    let options: GlobalOptions

    /// Reads the arguments, without the name of the tool; nil is one that is not UTF-8.
    init(_ typed: [String?]) throws(UsageError) {
        if let index = typed.firstIndex(of: nil) {
            throw UsageError("argument \(index + 1) is not UTF-8 text: type it in a UTF-8 locale")
        }
        let arguments = typed.compactMap(\.self)
        // The first word that is neither an option nor an option's value is the command.
        let position = try Self.commandPosition(in: arguments)
        guard let position else {
            let scanned = try ArgumentScanner(arguments, options: Option.global)
            options = try GlobalOptions(scanned)
            if scanned.has("--help") || scanned.has("-h") {
                action = .help(nil)
            } else if scanned.has("--version") {
                action = .version
            } else {
                throw UsageError("which command? \(CommandName.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return
        }
        var rest = arguments
        let word = rest.remove(at: position)
        if word == "help" {
            let topic = rest.dropFirst(position).first
            action = .help(try topic.map { name throws(UsageError) in try CommandName(typed: name) })
            options = GlobalOptions()
            return
        }
        let name = try CommandName(typed: word)
        do throws(UsageError) {
            let scanned = try ArgumentScanner(rest, options: Option.global + name.options)
            options = try GlobalOptions(scanned)
            if scanned.has("--help") || scanned.has("-h") {
                action = .help(name)
            } else if scanned.has("--version") {
                action = .version
            } else {
                action = .run(try Command(name, scanned))
            }
        } catch {
            throw UsageError(error.message, command: name)
        }
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
