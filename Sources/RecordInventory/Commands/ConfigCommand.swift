import RecordKitJSON

/// Shows the settings and where they come from, or changes the config file.
struct ConfigCommand: Command {
    struct Change: Equatable, Sendable {
        let key: ConfigFile.Key
        let value: String
    }

    /// `nil` shows the settings.
    var change: Change?

    static let usage = CommandUsage(
        name: "config",
        operands: CommandUsage.Operands(
            "[set KEY VALUE]", .choice("KEY", ["set"] + ConfigFile.Key.allCases.map(\.rawValue)), count: 0...3),
        summary: "show or change the settings",
        explanation: """
            Shows each setting, and where it comes from: an option, an environment variable, the config file or the
            default, in this order of precedence. With set, writes a line of the config file, and keeps the others with
            their comments. The file is $XDG_CONFIG_HOME/record-inventory/config, or ~/.config/record-inventory/config,
            with lines such as: till = Counter 2. The keys are store, server, bucket, till, person, currency, which add
            and import take for prices without one, and columns, the fields in tables of records. A password has no
            place there.
            """,
        options: [], examples: ["config", "config set till 'Counter 2'"], worksWithoutStore: true)

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        let words = arguments.operands
        if words.isEmpty { return }
        guard words.count == 3, words[0] == "set" else { throw UsageError("type: config, or: config set KEY VALUE") }
        guard let key = ConfigFile.Key(rawValue: words[1]) else {
            throw UsageError(UnknownName("key", words[1], among: ConfigFile.Key.allCases.map(\.rawValue)))
        }
        // The options check the value as they do when it is typed.
        if key == .bucket { try Settings.checkBucket(words[2], named: "bucket") }
        if key == .server { _ = try Settings.server(words[2], named: "server") }
        if key == .currency { _ = try words[2].parsed(as: "currency", Currency.init(typed:)) }
        if key == .columns { _ = try Settings.columns(words[2], named: "columns") }
        if key == .store { _ = try Settings.store(words[2], named: "store", server: "server") }
        guard !words[2].contains(where: \.isNewline), !words[2].allSatisfy(\.isWhitespace) else {
            throw UsageError("\(key.rawValue) requires a value on one line")
        }
        change = Change(key: key, value: words[2])
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        guard let settings = context.settings else { return .failed }
        let console = context.console
        if let change {
            try settings.config.set(change.key, to: change.value)
            console.note("\(change.key.rawValue) is set in \(settings.config.path ?? "").")
            return .done
        }
        if context.reporter.printsJSON {
            try context.reporter.print(
                .array(
                    settings.values.map {
                        ["key": .string($0.key), "value": JSONValue($0.value), "from": .string($0.origin)]
                    }))
            return .done
        }
        for (key, value, origin) in settings.values { try console.print(fields: [key, value ?? "", origin]) }
        return .done
    }
}
