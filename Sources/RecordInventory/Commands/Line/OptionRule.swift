/// What the options and operands of a command have to do with each other.
///
/// A term is an option (`--map`), an option with a value (`--blank clear`), an operand (`open`), or `SKU` for any
/// operand. The last string of a rule ends its message.
enum OptionRule: Sendable {
    /// The command requires an option.
    case required(String, String)
    /// Each of some terms requires another.
    case needs([String], String, String = "")
    /// None of some terms is given with one of others.
    case excludes([String], [String], String = "")

    static let days = excludes(["--day"], ["--from", "--to"])
    static let oneOrMatching = excludes(["SKU"], ["--where"])
}

extension ArgumentScanner {
    /// Throws if the arguments break a rule.
    ///
    /// - Parameter command: The name of the command.
    func check(_ rules: [OptionRule], of command: String) throws(UsageError) {
        func name(_ term: String) -> String {
            if term == "SKU" { return "a SKU" }
            return term.hasPrefix("-") && term != "-" ? term : "\(command) \(term)"
        }
        for rule in rules {
            switch rule {
            case .required(let term, let end):
                if !holds(term) { throw UsageError("\(command) requires \(term)\(end)") }
            case .needs(let terms, let other, let end):
                if let term = terms.first(where: holds), !holds(other) {
                    throw UsageError("\(name(term)) requires \(name(other))\(end)")
                }
            case .excludes(let terms, let others, let end):
                guard let term = terms.first(where: holds), let other = others.first(where: holds) else { continue }
                throw UsageError(
                    (term == "SKU"
                        ? "\(command) takes a SKU or \(other), not both"
                        : "\(term) and \(name(other)) contradict each other")
                        + end)
            }
        }
    }

    private func holds(_ term: String) -> Bool {
        let parts = term.split(separator: " ").map(String.init)
        if parts.count > 1 { return value(parts[0]) == parts[1] }
        return has(term) || operands.contains(term) || term == "SKU" && !operands.isEmpty
    }
}
