/// A command of the tool: what the help says of it, how its arguments are read, and what it does.
///
/// A command is a file, and a line in ``CommandList``.
protocol Command: Equatable, Sendable {
    static var usage: CommandUsage { get }
    /// The fields of the rows that the command prints. Empty if it prints none.
    var fieldNames: [String] { get }
    /// Whether the command creates a store that does not exist, or needs none.
    var createsStore: Bool { get }

    /// Reads the arguments, and checks them as far as possible without the stock. The number of operands is right.
    init(_ arguments: ArgumentScanner) throws(UsageError)

    /// Changes the options of the run. By default checks how rows are to be printed, and reads `--fields`.
    func adjust(_ options: inout GlobalOptions, _ arguments: ArgumentScanner) throws(UsageError)

    /// Runs the command.
    ///
    /// - Throws: ``CommandFailure`` for a failure with an exit code, and any error of a request or a file.
    func run(in context: CommandContext) async throws -> ExitCode
}

extension Command {
    var createsStore: Bool { Self.usage.worksWithoutStore }
    var fieldNames: [String] { Self.usage.options.first { $0.name == "--fields" }?.value?.words ?? [] }

    func adjust(_ options: inout GlobalOptions, _ arguments: ArgumentScanner) throws(UsageError) {
        if let format = options.output.format, format != .json, fieldNames.isEmpty {
            throw UsageError(
                "--output \(format.rawValue) is for lists of records, movements and releases; "
                    + "\(Self.usage.name) takes only json"
            )
        }
        if arguments.has("--spreadsheet"), !fieldNames.isEmpty {
            let others = ["--json"] + OutputStyle.Format.options(but: .csv)
            try arguments.check([.excludes(["--spreadsheet"], others, ": it is CSV")], of: Self.usage.name)
            options.output.format = .csv
            options.output.isForSpreadsheet = true
        }
        options.output.fields = try arguments.value("--fields").map { text throws(UsageError) in
            try OutputStyle.names(in: text, among: fieldNames, for: "--fields")
        }
    }
}

extension OutputStyle {
    /// Reads names with commas between them. The error lists those that exist.
    static func names(in text: String, among known: [String], for option: String) throws(UsageError) -> [String] {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map {
            $0.trimmed.lowercased().replacing("-", with: "_")
        }
        for name in names where !known.contains(name) {
            throw UsageError("\(option) has no field \"\(name.shown)\"; it takes \(known.joined(separator: ", "))")
        }
        // An object of JSON has each name once.
        var seen: Set<String> = []
        if let name = names.first(where: { !seen.insert($0).inserted }) {
            throw UsageError("\(option) has the field \(name) twice")
        }
        return names
    }
}

/// The commands, in the order of the help.
enum CommandList {
    static let all: [any Command.Type] = [
        ImportCommand.self, ExportCommand.self, AddCommand.self, LookupCommand.self, EditCommand.self,
        DeleteCommand.self, ShowCommand.self, ListCommand.self, LabelsCommand.self, SellCommand.self,
        SellVoucherCommand.self, TillCommand.self, ReceiptCommand.self, UndoCommand.self, ReturnCommand.self,
        RestockCommand.self, TradeInCommand.self, WriteOffCommand.self, ReserveCommand.self, ReleaseCommand.self,
        ForgetCommand.self, CountCommand.self, HistoryCommand.self, ReportCommand.self, DiscogsSoldCommand.self,
        PaymentsCommand.self, DrawerCommand.self, DoctorCommand.self, BackupCommand.self, RestoreCommand.self,
        ConfigCommand.self, CompletionsCommand.self, ManCommand.self,
    ]

    /// Finds the command of a name. The error suggests a similar name.
    static func command(named name: String) throws(UsageError) -> any Command.Type {
        if let command = all.first(where: { $0.usage.name == name }) { return command }
        let meant = all.first { $0.usage.synonyms.contains(name) }?.usage.name
        throw UsageError(UnknownName("command", name, among: all.map { $0.usage.name }, meant: meant))
    }
}

/// The description of a command, for the help, the manual page and the completions of shells.
struct CommandUsage: Sendable {
    let name: String
    /// Other words for it, which are only suggested.
    var synonyms: [String] = []
    var operands = Operands.none
    /// The options that have to be given, as the help shows them.
    var required: String?
    let summary: String
    let explanation: String
    /// Its own options, without those of every command.
    let options: [Option]
    var rules: [OptionRule] = []
    /// Command lines, without the name of the tool.
    let examples: [String]
    /// Whether the command creates a store that does not exist, or needs none.
    var worksWithoutStore = false

    /// The words of a command line that are no options.
    struct Operands: Sendable {
        static let none = Operands(nil, count: 0...0)
        /// The record that the command is about.
        static let sku = Operands("SKU", .sku)

        /// The placeholder, such as `[SKU]`.
        let placeholder: String?
        let kind: ValueKind
        let count: ClosedRange<Int>
        /// What to do in place of giving too many.
        let advice: String
        /// Whether an empty string is one.
        let canBeEmpty: Bool

        init(
            _ placeholder: String?, _ kind: ValueKind = .text, count: ClosedRange<Int> = 1...1, advice: String = "",
            canBeEmpty: Bool = false
        ) {
            self.placeholder = placeholder
            self.kind = kind
            self.count = count
            self.advice = advice
            self.canBeEmpty = canBeEmpty
        }
    }
}
