/// The kinds of payment that a shop takes.
struct PaymentKinds: Hashable, Sendable {
    /// The kinds that every shop takes.
    static let common = ["cash", "card", "transfer", "voucher", "other"]

    /// The kinds that the shop has added.
    var added: [String] = []

    var all: [String] { Self.common + added }

    /// Returns the kind of a name in any case.
    ///
    /// - Throws: ``InvalidValue`` if the shop does not take it.
    func kind(_ name: String) throws(InvalidValue) -> String {
        let name = name.trimmed.lowercased()
        guard all.contains(name) else {
            throw InvalidValue(
                "\(name.isEmpty ? "missing" : "this shop does not take it"); use one of "
                    + "\(all.joined(separator: ", ")), or add it with `payments KIND`")
        }
        return name
    }

    /// Parses the name of a new kind: letters, digits and hyphens, which begin with a letter.
    static func new(_ name: String) throws(InvalidValue) -> String {
        let name = name.trimmed.lowercased()
        guard let first = name.first, first.isLetter, name.count <= 32,
            name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" })
        else { throw InvalidValue("a kind of payment has at most 32 letters, digits and hyphens, the first a letter") }
        return name
    }
}
