import RecordKit

/// The options of every command, as typed.
struct GlobalOptions: Equatable, Sendable {
    /// The values that variables and the config file may give too.
    var settings: [ConfigFile.Key: String] = [:]
    /// The names of the options that were given.
    var names: Set<String> = []
    var output = OutputStyle()
    /// How long to wait for a server or for another process.
    var timeout = Duration.seconds(30)
    /// The first option with a decimal comma.
    var commaOption: String?

    func has(_ name: String) -> Bool { names.contains(name) }

    var verbosity: Console.Verbosity {
        has("--quiet") || has("-q") ? .quiet : has("--verbose") || has("-v") ? .verbose : .normal
    }
}

extension GlobalOptions {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        names = arguments.names
        commaOption = arguments.commaOption
        for key in [ConfigFile.Key.store, .server, .bucket, .till, .person] {
            settings[key] = arguments.value("--\(key.rawValue)")
        }
        try arguments.check(
            [
                .excludes(["--store"], ["--server"], ": the stock is in a file or on a server"),
                .excludes(["--json"], OutputStyle.Format.options(but: .json)),
                .excludes(["--quiet", "-q"], ["--verbose", "-v"]),
                .needs(["--details"], "--dry-run"),
            ], of: "")
        output.format = try arguments.choice("--output") ?? (arguments.has("--json") ? .json : nil)
        if let seconds = try arguments.integer("--timeout", in: 1...3_600) { timeout = .seconds(seconds) }
        for option in Option.global where arguments.value(option.name)?.isEmpty == true {
            throw UsageError(option.complaint)
        }
        if let bucket = settings[.bucket] { try Settings.checkBucket(bucket, named: "--bucket") }
    }
}

/// The place of the stock and the account, from options, then environment variables, then the config file, then
/// defaults.
struct Settings: Equatable, Sendable {
    /// The name of the shop if none is given.
    static let usualBucket = "shop"
    struct Account: Equatable, Sendable {
        enum PasswordSource: Equatable, Sendable {
            case file(String)
            case standardInput
        }

        let user: String
        let passwordSource: PasswordSource
    }

    let place: StockPlace
    let bucket: String
    /// The account on the server. `nil` sends requests unsigned; a store has none.
    let account: Account?
    /// The name of the till, or `nil` for the name of the machine.
    let till: String?
    let person: String?
    /// The currency of prices for which neither an option nor a file names one.
    let currency: Currency?
    /// The fields in tables of records. `nil` is the usual columns.
    let columns: [String]?
    let config: ConfigFile
    /// Where releases are looked up.
    let catalog: ReleaseCatalog.Place
    /// Where the settings come from, by their keys.
    private(set) var origins: [ConfigFile.Key: String] = [:]

    /// The settings with their origins, as `config` shows them.
    var values: [(key: String, value: String?, origin: String)] {
        let values: [(ConfigFile.Key, String?)] = [
            (place.isStore ? .store : .server, place.name), (.bucket, bucket), (.till, source.till), (.person, person),
            (.currency, currency?.code),
            (.columns, columns?.joined(separator: ",")),
        ]
        return values.map { key, value in (key.rawValue, value, origins[key] ?? "default") }
    }

    /// Who makes the movements.
    var source: MovementSource {
        var source = MovementSource(person: person)
        if let till { source.till = till }
        return source
    }

    /// Prefers options to variables, and a server to a store. Treats an empty variable as missing.
    init(
        _ options: GlobalOptions, environment: [String: String], config: ConfigFile = ConfigFile()
    ) throws(UsageError) {
        let environment = environment.filter { !$0.value.isEmpty }
        self.config = config
        let sources = [
            Source(values: options.settings) { "--\($0.rawValue)" },
            Source(values: Self.variables.compactMapValues { environment[$0] }) { Self.variables[$0] ?? "" },
            Source(values: config.entries.mapValues(\.value), config: config) { $0.rawValue },
        ]
        func source(of keys: ConfigFile.Key...) -> Source? {
            sources.first { source in keys.contains { source.values[$0] != nil } }
        }
        func pick(_ key: ConfigFile.Key) -> String? { source(of: key)?.values[key] }
        for key in ConfigFile.Key.allCases { origins[key] = source(of: key)?.origin(key) }
        let chosen = source(of: .server, .store)
        if let chosen, let address = chosen.values[.server] {
            place = .server(try Self.server(address, named: chosen.place(of: .server)))
        } else if let chosen, let path = chosen.values[.store] {
            let server = chosen.name(.server)
            place = .store(path: try Self.store(path, named: chosen.place(of: .store), server: server))
        } else {
            place = .store(path: try Self.defaultStore(environment))
        }
        if let bucket = config[.bucket] { try Self.checkBucket(bucket, named: config.place(of: .bucket)) }
        bucket = pick(.bucket) ?? Self.usualBucket
        till = pick(.till)
        person = pick(.person)?.personName
        currency = try pick(.currency)?.parsed(as: config.place(of: .currency), Currency.init(typed:))
        columns = try pick(.columns).map { text throws(UsageError) in
            try Self.columns(text, named: config.place(of: .columns))
        }
        catalog = try Self.catalog(environment)
        account = if case .server = self.place { try Self.account(options, environment) } else { nil }
    }

    /// Settings of one origin.
    private struct Source {
        let values: [ConfigFile.Key: String]
        /// The config file that has them, if any.
        var config: ConfigFile?
        /// Returns the name of a setting, as it is typed.
        let name: (ConfigFile.Key) -> String

        /// The setting in messages.
        func place(of key: ConfigFile.Key) -> String { config?.place(of: key) ?? name(key) }

        func origin(_ key: ConfigFile.Key) -> String { config.map { $0.path ?? "" } ?? name(key) }
    }

    /// The environment variables of the settings.
    private static let variables: [ConfigFile.Key: String] = [
        .server: "RECORD_INVENTORY_SERVER", .store: "RECORD_INVENTORY_STORE", .till: "RECORD_INVENTORY_TILL",
        .person: "RECORD_INVENTORY_PERSON",
    ]

    static func store(_ path: String, named name: String, server: String) throws(UsageError) -> String {
        // The URL may hold a password, so the message does not show it.
        guard !["http://", "https://"].contains(where: path.lowercased().hasPrefix) else {
            throw UsageError("\(name) requires a file, not a URL; for a Kinto server use \(server)")
        }
        return path
    }

    static func server(_ text: String, named name: String) throws(UsageError) -> String {
        if let problem = NetworkEnvironment(text).invalidReason {
            // In any URL, however mistyped, a password may stand before an @.
            guard !text.unicodeScalars.contains("@") else {
                throw UsageError(
                    "\(name) takes no user or password; set RECORD_INVENTORY_USER and RECORD_INVENTORY_PASSWORD_FILE")
            }
            throw UsageError("\(name) requires a URL such as http://127.0.0.1:8888/v1; \(problem)")
        }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }

    static func checkBucket(_ bucket: String, named name: String) throws(UsageError) {
        guard bucket.isKintoID else {
            throw UsageError("\(name) requires a name of letters, digits, - and _, which starts with a letter or digit")
        }
    }

    static func columns(_ text: String, named name: String) throws(UsageError) -> [String] {
        try OutputStyle.names(in: text, among: Record.fieldNames, for: name)
    }

    private static func defaultStore(_ environment: [String: String]) throws(UsageError) -> String {
        #if canImport(Darwin)
        let data = "Library/Application Support"
        #else
        let data = ".local/share"
        #endif
        guard let folder = environment.folder("XDG_DATA_HOME", inHome: data) else {
            throw UsageError("there is no default store, since HOME is not set; give --store FILE")
        }
        return folder + "/record-inventory/stock.sqlite"
    }

    private static func catalog(_ environment: [String: String]) throws(UsageError) -> ReleaseCatalog.Place {
        var place = ReleaseCatalog.Place()
        let variable = "RECORD_INVENTORY_MUSICBRAINZ"
        if let address = environment[variable] { place.address = try server(address, named: variable) }
        let cache = environment.folder("XDG_CACHE_HOME", inHome: ".cache")
        place.folder = cache.map { $0 + "/record-inventory/musicbrainz" }
        return place
    }

    private static func account(
        _ options: GlobalOptions, _ environment: [String: String]
    ) throws(UsageError) -> Account? {
        let source: Account.PasswordSource? =
            options.has("--password-stdin")
            ? .standardInput : environment["RECORD_INVENTORY_PASSWORD_FILE"].map { .file($0) }
        guard let user = environment["RECORD_INVENTORY_USER"] else {
            guard source == nil else { throw UsageError("a password but no user; set RECORD_INVENTORY_USER") }
            return nil
        }
        // RFC 7617 section 2: a colon ends the user-id.
        guard !user.contains(":") else { throw UsageError("RECORD_INVENTORY_USER must not contain a colon") }
        guard let source else {
            throw UsageError(
                "a user but no password; set RECORD_INVENTORY_PASSWORD_FILE, or give --password-stdin")
        }
        return Account(user: user, passwordSource: source)
    }
}
