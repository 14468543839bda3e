/// Splits arguments into options with their values, and operands. It has the names of the options, not their meaning.
struct ArgumentScanner {
    private(set) var operands: [String] = []
    private var values: [String: [String]] = [:]
    /// The first option whose amount has a decimal comma, with its value. The amount is taken as if it had a point.
    private(set) var commaOption: String?

    /// Scans the arguments without the command. `--` ends the options; a lone `-` is an operand.
    init(_ arguments: [String], options: [Option]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                return
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                operands.append(argument)
                continue
            }
            let (name, attached) = Self.split(argument)
            guard let option = options.first(where: { $0.name == name }) else {
                throw UsageError(UnknownName("option", name, among: options.map(\.name)))
            }
            try take(option, attached: attached, from: &rest, options: options)
        }
    }

    /// The names of the options that were given.
    var names: Set<String> { Set(values.keys) }

    func has(_ name: String) -> Bool { values[name] != nil }
    func value(_ name: String) -> String? { values[name]?.first }
    func values(_ name: String) -> [String] { values[name] ?? [] }

    private mutating func take(
        _ option: Option, attached: String?, from rest: inout ArraySlice<String>, options: [Option]
    ) throws(UsageError) {
        guard option.value != nil else {
            guard attached == nil else { throw UsageError("\(option.name) takes no value") }
            values[option.name] = []
            return
        }
        guard option.repeats || values[option.name] == nil else { throw UsageError("\(option.name) is given twice") }
        guard let value = attached ?? rest.first else {
            throw UsageError(option.complaint)
        }
        if attached == nil {
            // The value was probably forgotten. A value that starts like an option can be attached with `=`.
            guard value != "--",
                !options.contains(where: { $0.name == Self.split(value).name && value.hasPrefix("--") })
            else {
                throw UsageError("\(option.complaint) (or is it \(option.name)=\(value)?)")
            }
            rest.removeFirst()
        }
        let decimal = Self.decimal(value, of: option)
        if decimal != nil { commaOption = commaOption ?? "\(option.name) \"\(value)\"" }
        values[option.name, default: []].append(decimal ?? value)
    }

    /// Returns the value of an option with a decimal point, if it is an amount with a decimal comma.
    private static func decimal(_ value: String, of option: Option) -> String? {
        switch option.value {
        case .amount?, .payment?: return ShopSettings.decimal(value)
        case .condition?:
            let parts = value.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].hasSuffix("price") || parts[0].hasSuffix("cost") else { return nil }
            return ShopSettings.decimal(String(parts[1])).map { "\(parts[0])=\($0)" }
        default: return nil
        }
    }

    /// Splits an argument such as `--limit=2`, `-n2` or `-n=2` into its name and its value.
    static func split(_ argument: String) -> (name: String, attached: String?) {
        if argument.hasPrefix("--") {
            guard let sign = argument.firstIndex(of: "=") else { return (argument, nil) }
            return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
        }
        let attached = argument.dropFirst(2)
        if attached.isEmpty { return (argument, nil) }
        return (String(argument.prefix(2)), String(attached.first == "=" ? attached.dropFirst() : attached))
    }
}
