/// A row of a file of another system: its values by the map.
struct MappedRow: Sendable {
    var row: RowRecord
    var values: [RecordField: String]
    /// Whether artist and title are parts of the text of one column, which is then `undivided`.
    var isDivided = false
    var undivided: String?
}

/// A file of another system, read with a map of its columns. Leaves out the other columns.
struct MappedCSV: RowFormat {
    let named: Set<RecordField>
    let namesCurrency: Bool
    private let map: ColumnMap
    private let count: Int
    /// The columns of each field. A wildcard has several in one element.
    private let columns: [(field: RecordField, columns: [[Int]])]
    private let group: Int?
    private let hasDecimalCommas: Bool
    private var variations: Variations?
    /// The product of the row before, and what its later rows leave out.
    private var product: (group: String, values: [RecordField: String])?

    /// - Parameter headings: The first row as in the file.
    init(
        _ headings: [String], _ map: ColumnMap, _ options: ImportOptions, hasDecimalCommas: Bool
    ) throws(ImportError) {
        let names = headings.map(Self.plain)
        let system = ShopSystem(headings: names)
        var found: [RecordField: [[Int]]] = [:]
        var missing: [ColumnMap.Column] = []
        for column in map.columns {
            let matches = Self.matches(Self.plain(column.heading), in: names)
            if matches.isEmpty { missing.append(column) } else { found[column.field, default: []].append(matches) }
            if matches.count > 1, !column.heading.contains("*") { throw .repeatedColumn(column.heading) }
        }
        // A map of the tool's own knows columns that a file may lack.
        if map.isTolerant {
            missing.removeAll { !options.required.contains($0.field) || found[$0.field] != nil }
        }
        let fields = map.fields
        let lacking = options.required.filter { !fields.contains($0) && map.defaults[$0] == nil }
        guard missing.isEmpty, lacking.isEmpty else {
            throw .map(ColumnMismatch.text(map: missing.map(\.heading), missing: lacking, headings: headings))
        }
        namesCurrency = found[.currency] != nil || map.constants[.currency] != nil
        named = fields.filter { found[$0] != nil || map.constants[$0] != nil }
        columns = RecordField.allCases.compactMap { field in found[field].map { (field, $0) } }
        group = system?.groupHeadings.compactMap(names.firstIndex).first
        if system == .woocommerce {
            variations = Variations(names, used: Set(found.values.joined().joined()))
        }
        count = headings.count
        self.map = map
        self.hasDecimalCommas = hasDecimalCommas
    }

    /// Returns a heading in small letters, with plain spaces: French has others before a question mark.
    private static func plain(_ heading: String) -> String {
        String(heading.lowercased().map { $0.isWhitespace ? " " : $0 })
    }

    private static func matches(_ heading: String, in names: [String]) -> [Int] {
        let exact = names.indices.filter { names[$0] == heading.trimmed }
        return exact.isEmpty ? names.indices.filter { HeadingGuesses.matches(heading, names[$0]) } : exact
    }

    mutating func record(from row: CSVRow) -> RowRecord {
        var mapped = mapped(row)
        let shared = group == nil ? [] : ShopSystem.sharedFields
        guard row.problem != nil || mapped.values.keys.contains(where: { !shared.contains($0) }) else {
            // A further picture of a product, or a row for another purpose.
            mapped.row.isSkipped = true
            return mapped.row
        }
        if let group = group.flatMap({ text(in: row, [$0]) }) {
            if let product, product.group == group {
                mapped.values.merge(product.values) { own, _ in own }
            }
            product = (group, mapped.values.filter { shared.contains($0.key) })
        }
        mapped.row.isReduced = variations?.isReduced(row, mapped.values[.price]) ?? false
        if let taken = variations?.take(mapped, row) { return taken }
        return record(of: mapped)
    }

    mutating func waiting() -> RowRecord? { variations?.next().map(record) }

    private func mapped(_ row: CSVRow) -> MappedRow {
        var mapped = MappedRow(row: RowRecord(row, columns: count, hasDecimalCommas: hasDecimalCommas), values: [:])
        for (field, columns) in columns {
            if columns.joined().allSatisfy({ $0 >= row.count }) { mapped.row.absent.append(field) }
            mapped.values[field] = columns.lazy.compactMap { text(in: row, $0) }.first
        }
        divideTitle(&mapped, row)
        return mapped
    }

    private func record(of mapped: MappedRow) -> RowRecord {
        var (result, values) = (mapped.row, mapped.values)
        // A name that was divided by guess is for new records.
        if mapped.isDivided { result.absent += [.artist, .title] }
        values.merge(map.constants) { own, _ in own }
        values.merge(map.defaults) { own, _ in own }
        if let sku = values[.sku], !map.skuPrefix.isEmpty {
            values[.sku] = map.skuPrefix + sku
            result.isNumbered = true
        }
        if values[.price]?.lowercased() == "variable" { setVariablePrice(&values, &result) }
        for field in RecordField.allCases {
            guard var text = values[field] else {
                result.set(field, to: nil)
                continue
            }
            // Merchandise has sizes in this column: an M isn't the grade Mint.
            let isSize = map.isTolerant && field == .mediaCondition && text.trimmed.lowercased() == "m"
            if let usual = isSize ? nil : ForeignValue.usual(text, field) {
                text = usual
            } else if map.isTolerant || field == .year {
                result.absent.append(field)
                continue
            }
            if field == .status { result.setStatus(text) } else { result.set(field, to: text) }
        }
        return result
    }

    /// Returns the text of a cell, or the sum of several. `nil` if they are empty.
    private func text(in row: CSVRow, _ columns: [Int]) -> String? {
        let texts = columns.filter { $0 < row.count }.map { cell(row[$0]) }.filter { !$0.trimmed.isEmpty }
        guard texts.count > 1 else { return texts.first }
        var sum = 0
        for text in texts {
            guard let number = Int(RowRecord.wholeNumber(text).trimmed), (try? sum.add(number)) != nil else {
                return text
            }
        }
        return String(sum)
    }

    /// Returns the text of a cell without the apostrophe that WooCommerce puts before what looks like a formula.
    private func cell(_ text: String) -> String {
        guard variations != nil, text.utf8.first == UInt8(ascii: "'"), let next = text.dropFirst().first,
            "=+-@".contains(next)
        else { return text }
        return String(text.dropFirst())
    }

    /// Divides the text of a column that has artist and title: `ARTIST - TITLE`. Takes the artist of another column off
    /// the title in the maps that come with the tool.
    private func divideTitle(_ mapped: inout MappedRow, _ row: CSVRow) {
        func own(_ field: RecordField) -> [[Int]] { columns.first { $0.field == field }?.columns ?? [] }
        guard let title = mapped.values[.title] else { return }
        let shared = own(.title).filter(own(.artist).contains)
        let isShared = shared.lazy.compactMap { text(in: row, $0) }.first == title
        guard isShared || map.isTolerant else { return }
        if isShared {
            let others = own(.artist).filter { !shared.contains($0) }
            mapped.values[.artist] = others.lazy.compactMap { text(in: row, $0) }.first
        }
        guard let sign = title.firstRange(of: #/ [-–—] /#) else { return }
        let (artist, rest) = (title[..<sign.lowerBound].trimmed, title[sign.upperBound...].trimmed)
        let known = mapped.values[.artist] ?? map.constants[.artist]
        guard isShared || known?.trimmed.lowercased() == artist.lowercased() else { return }
        mapped.isDivided = isShared && known?.trimmed.lowercased() != artist.lowercased()
        mapped.undivided = title
        mapped.values[.artist] = artist
        mapped.values[.title] = rest
    }

    /// Makes a draft of a record whose price is named at the counter. An update leaves price and status.
    private func setVariablePrice(_ values: inout [RecordField: String], _ result: inout RowRecord) {
        values[.price] = "0"
        values[.status] = Status.draft.rawValue
        result.absent += [.price, .currency, .status]
        result.notes.append("the price is variable: a new record becomes a draft with the price 0")
    }
}

/// Values as other systems write them.
private enum ForeignValue {
    private static let statuses: [String: Status] = [
        "active": .forSale, "published": .forSale, "publish": .forSale, "1": .forSale, "true": .forSale,
        "archived": .draft, "unlisted": .draft, "private": .draft, "0": .draft, "-1": .draft, "false": .draft,
    ]

    /// Returns the value as our own files have it, or `nil` for a grade or a year that is none. Leaves other values as
    /// they are.
    static func usual(_ text: String, _ field: RecordField) -> String? {
        let plain = text.trimmed.lowercased()
        switch field {
        case .status: return statuses[plain]?.rawValue ?? text
        case .quantity: return plain == "backorder" ? "0" : text
        case .price, .cost: return text.trimmed { $0.isWhitespace || $0.isCurrencySymbol }
        case .year:
            let year = plain.prefix { $0 != "-" }
            return Int(year) == 0 ? nil : plain.wholeMatch(of: /\d{4}-\d\d(-\d\d)?/) == nil ? text : String(year)
        case .mediaCondition: return grade(plain) ?? (try? MediaCondition(text))?.rawValue
        case .sleeveCondition: return grade(plain) ?? (try? SleeveCondition(text))?.rawValue
        default: return text
        }
    }

    /// Returns the grade with a name such as "near mint".
    private static func grade(_ plain: String) -> String? {
        MediaCondition.allCases.first { $0.discogsName.lowercased().hasPrefix("\(plain) (") }?.rawValue
    }
}
