/// Why the columns of a file without a map are not those of records, and what to type.
struct ColumnMismatch: Equatable, Sendable, CustomStringConvertible {
    /// The headings that match no field.
    let unknown: [String]
    /// The required fields without a column.
    let missing: [RecordField]
    /// The headings as in the file.
    let headings: [String]
    let options: ImportOptions
    /// The number of the row with the headings.
    let row: Int
    /// The first rows below the headings.
    var samples: [CSVRow] = []

    private var isUpdate: Bool { options.isUpdate }
    private var hasCurrency: Bool { options.currency != nil || options.usualCurrency != nil || isUpdate }

    static func == (one: Self, other: Self) -> Bool { one.description == other.description }

    var description: String {
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
        let kind = system.map { "this is \($0.title): " } ?? ""
        var (option, advice) = suggestion(system)
        if unknown.isEmpty, missing == [.sku] { option = "--make-skus" }
        if let system, system.map != nil {
            option =
                "--map \(system.rawValue)" + (hasCurrency || headings.contains("currency") ? "" : " --currency EUR")
            advice = []
        }
        return
            "row \(row) \(faults.joined(separator: "; ")); \(kind)import it with\n  \(option)\n"
            + advice.map { "(\($0))\n" }.joined()
            + "(a map names the column of each field, and leaves out the others; `import --help` explains it), or "
            + "rename the columns; there are: \(RecordField.allCases.map(\.rawValue).joined(separator: ", "))"
    }

    /// Returns why a map does not fit a file.
    ///
    /// - Parameters:
    ///   - map: The headings of the map that the file lacks.
    ///   - missing: The required fields that the map lacks.
    static func text(map: [String], missing: [RecordField], headings: [String]) -> String {
        var faults: [String] = []
        if !map.isEmpty {
            faults.append("names columns that the file lacks: \(list(map))")
        }
        if !missing.isEmpty {
            let advice = missing.map { "\($0.rawValue):HEADING" }.joined(separator: ",")
            let other = missing == [.sku] ? "make SKUs with --make-skus" : "FIELD=VALUE for all rows"
            faults.append(
                "lacks \(missing.map(\.rawValue).joined(separator: ", ")) (add \(advice), or \(other))")
        }
        return "the map \(faults.joined(separator: "; it ")); the columns of the file are: \(list(headings))"
    }

    private static func list(_ headings: [String]) -> String {
        headings.map { "\"\($0.shown)\"" }.joined(separator: ", ")
    }

    /// Returns the options for these headings, as far as they can be guessed, and what is left to decide. A field for
    /// which there is no guess has `…`. An update gets no values for all rows: each record has its own.
    private func suggestion(_ system: ShopSystem?) -> (option: String, advice: [String]) {
        var guesses = HeadingGuesses(headings)
        var map = ColumnMap()
        for field in RecordField.allCases where !(system == .bandcamp && field == .quantity) {
            map.columns += guesses.take(field).map { ColumnMap.Column(field: field, heading: $0) }
        }
        let known = map.fields
        let amounts = guesses.amounts(samples(matching: /\D{0,4}[\d.,' ]*\d[.,]\d\d?\D{0,4}/))
        let numbers = guesses.left(of: samples(matching: /\d{1,6}(?:[.,]0+)?/))
        var (entries, advice): ([String], [String]) = ([], [])
        // A SKU is made of artist and title.
        let canMake = !known.contains(.sku) && (!isUpdate || known.isSuperset(of: [.artist, .title]))
        for field in RecordField.essential where !known.contains(field) {
            let isLeft = field == .sku ? canMake : isUpdate && (field != .price || amounts.isEmpty)
            if !isLeft { entries.append("\(field.rawValue):…") }
        }
        let prices = amounts.isEmpty ? numbers : amounts
        let counts = numbers.filter { !amounts.contains($0) }
        if entries.contains("price:…"), !prices.isEmpty {
            advice.append(
                "decide which is the price you sell at, and put it in place of …: \(Self.list(prices))")
        }
        if system == .bandcamp {
            map.constants[.quantity] = "0"
        } else if !known.contains(.quantity), !counts.isEmpty {
            entries.append("quantity:…")
            advice.append(
                "decide which has the copies in stock, and write quantity:HEADING"
                    + (isUpdate ? "" : ", or quantity=1 for one copy each") + ": \(Self.list(counts))")
        }
        if !known.contains(.currency), !hasCurrency { map.constants[.currency] = "EUR" }
        var option = "--map " + (entries + [map.text].filter { !$0.isEmpty }).joined(separator: ",").quotedForShell
        if canMake {
            option += " --make-skus"
            advice.append("--make-skus makes a SKU of what a row says; if a column has them, add sku:HEADING instead")
        }
        return (option, advice)
    }

    /// Returns the headings of the columns whose cells have a form, as far as they are not blank.
    private func samples(matching form: Regex<Substring>) -> [String] {
        headings.indices.filter { column in
            let cells = samples.filter { column < $0.count }.map { $0[column].trimmed }.filter { !$0.isEmpty }
            return !cells.isEmpty && cells.allSatisfy { $0.utf8.count < 32 && $0.wholeMatch(of: form) != nil }
        }.map { headings[$0] }
    }
}
