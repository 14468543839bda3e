/// Why the columns of a file are not those of records, or not those of a map: all of them, and what to type.
struct ColumnMismatch: Equatable, Sendable, CustomStringConvertible {
    let description: String

    /// Creates the mismatch of a file without a map.
    ///
    /// - Parameters:
    ///   - unknown: The headings that match no field.
    ///   - missing: The required fields without a column.
    ///   - headings: The first row as in the file.
    init(unknown: [String], missing: [RecordField], headings: [String], hasCurrency: Bool) {
        let system = ShopSystem(headings: headings.map { $0.lowercased() })
        let free = RecordField.allCases.map(\.rawValue).filter { !headings.contains($0) }
        let names = unknown.map { name in
            let meant = system == nil ? Spelling.nearest(to: name, in: free) : nil
            return Self.list([name]) + (meant.map { " (did you mean \($0)?)" } ?? "")
        }
        var faults = [
            unknown.isEmpty
                ? "has to name the columns" : "has columns that are no fields: \(names.joined(separator: ", "))"
        ]
        if !missing.isEmpty { faults.append("missing: \(missing.map(\.rawValue).joined(separator: ", "))") }
        let guesses = HeadingGuesses(headings)
        let map = system?.map == nil ? Self.suggestion(guesses, system, hasCurrency) : nil
        let option =
            map.map { "--map " + $0.quotedForShell } ?? "--map \(system?.rawValue ?? "")"
            + (hasCurrency ? "" : " --currency EUR")
        let kind = system.map { "this is \($0.title): " } ?? ""
        let prices =
            map == nil || guesses.prices.count < 2
            ? ""
            : "(decide which is the price you sell at, and put it "
                + "in place of …: \(Self.list(guesses.prices)))\n"
        description =
            "row 1 \(faults.joined(separator: "; ")); \(kind)import it with\n  \(option)\n\(prices)"
            + "(a map names the column of each field, and leaves out the others; `import --help` explains it), or rename "
            + "the columns; there are: \(RecordField.allCases.map(\.rawValue).joined(separator: ", "))"
    }

    /// Creates the mismatch of a map.
    ///
    /// - Parameters:
    ///   - map: The headings of the map that the file lacks.
    ///   - missing: The required fields that the map lacks.
    init(map: [String], missing: [String], headings: [String]) {
        var faults: [String] = []
        if !map.isEmpty {
            faults.append("names columns that the file lacks: \(Self.list(map))")
        }
        if !missing.isEmpty {
            let advice = missing.map { "\($0):HEADING" }.joined(separator: ",")
            faults.append("lacks \(missing.joined(separator: ", ")) (add \(advice), or FIELD=VALUE for all rows)")
        }
        description =
            "the map \(faults.joined(separator: "; it ")); the columns of the file are: \(Self.list(headings))"
    }

    /// The mismatch of a row that is not the first.
    func inRow(_ number: Int) -> ColumnMismatch {
        ColumnMismatch(description: description.replacing("row 1 ", with: "row \(number) ", maxReplacements: 1))
    }

    private init(description: String) { self.description = description }

    private static func list(_ headings: [String]) -> String {
        headings.map { "\"\($0.shown)\"" }.joined(separator: ", ")
    }

    /// Returns a map for these headings, as far as they can be guessed. A field for which there is no guess has `…`.
    private static func suggestion(_ guesses: HeadingGuesses, _ system: ShopSystem?, _ hasCurrency: Bool) -> String {
        var guesses = guesses
        var entries: [String] = []
        var map = ColumnMap()
        for field in RecordField.allCases {
            if system == .bandcamp, field == .quantity {
                map.constants[.quantity] = "0"
            } else if let heading = guesses.take(field) {
                map.columns.append(ColumnMap.Column(field: field, heading: heading))
            } else if field == .currency, !hasCurrency {
                map.constants[.currency] = "EUR"
            } else if RecordField.essential.contains(field) {
                entries.append("\(field.rawValue):…")
            }
        }
        return (entries + [map.text].filter { !$0.isEmpty }).joined(separator: ",")
    }
}
