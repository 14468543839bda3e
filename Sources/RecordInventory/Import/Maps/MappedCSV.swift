/// A file of another system, read with a map of its columns. Leaves out the other columns.
struct MappedCSV: RowFormat {
    let named: Set<RecordField>
    private let map: ColumnMap
    private let count: Int
    /// The columns of each field. A wildcard has several in one element.
    private let columns: [(field: RecordField, columns: [[Int]])]
    private let group: Int?
    private let parent: Int?
    private let currency: Currency?
    private let hasDecimalCommas: Bool
    /// The product of the row before, and what its later rows leave out.
    private var product: (group: String, values: [RecordField: String])?

    /// - Parameter headings: The first row as in the file.
    init(
        _ headings: [String], _ map: ColumnMap, _ currency: Currency?, hasDecimalCommas: Bool
    ) throws(ImportError) {
        let names = headings.map { $0.lowercased() }
        var found: [RecordField: [[Int]]] = [:]
        var missing: [ColumnMap.Column] = []
        for column in map.columns {
            let matches = Self.matches(column.heading.lowercased(), in: names)
            if matches.isEmpty { missing.append(column) } else { found[column.field, default: []].append(matches) }
            if matches.count > 1, !column.heading.hasSuffix("*") { throw .repeatedColumn(column.heading) }
        }
        // A map of the tool's own knows columns that a file may lack.
        if map.isTolerant {
            var needed = Set(RecordField.essential)
            if map.titleForm == .artistAndTitle { needed.remove(.artist) }
            missing.removeAll { !needed.contains($0.field) || found[$0.field] != nil }
        }
        let fields = map.fields
        let lacking = RecordField.essential.filter { !fields.contains($0) && map.defaults[$0] == nil }
        guard missing.isEmpty, lacking.isEmpty else {
            throw .map(
                ColumnMismatch(map: missing.map(\.heading), missing: lacking.map(\.rawValue), headings: headings))
        }
        guard currency != nil || found[.currency] != nil || map.constants[.currency] != nil else { throw .noCurrency }
        named = fields.filter { found[$0] != nil || map.constants[$0] != nil || $0 == .artist }
        columns = RecordField.allCases.compactMap { field in found[field].map { (field, $0) } }
        group = map.groupHeading.flatMap { Self.matches($0.lowercased(), in: names).first }
        parent = map.parentHeading.flatMap { Self.matches($0.lowercased(), in: names).first }
        count = headings.count
        self.map = map
        self.currency = currency
        self.hasDecimalCommas = hasDecimalCommas
    }

    private static func matches(_ heading: String, in names: [String]) -> [Int] {
        let exact = names.indices.filter { names[$0] == heading.trimmed }
        guard exact.isEmpty, heading.hasSuffix("*") else { return exact }
        return names.indices.filter { names[$0].hasPrefix(heading.dropLast()) }
    }

    mutating func record(from row: CSVRow) -> RowRecord {
        var result = RowRecord(row, columns: count, hasDecimalCommas: hasDecimalCommas)
        var values: [RecordField: String] = [:]
        for (field, columns) in columns {
            if columns.joined().allSatisfy({ $0 >= row.count }) { result.absent.append(field) }
            values[field] = columns.lazy.compactMap { Self.text(in: row, $0) }.first
        }
        let shared = group == nil ? [] : ShopSystem.sharedFields
        guard row.problem != nil || values.keys.contains(where: { !shared.contains($0) }) else {
            // A further picture of a product, or a row for another purpose.
            result.isSkipped = true
            return result
        }
        if let parent = parent.flatMap({ Self.text(in: row, [$0]) }), parent.trimmed.lowercased() == "variable" {
            (result.isSkipped, result.isParent) = (true, true)
            return result
        }
        if let group = group.flatMap({ Self.text(in: row, [$0]) }) {
            if let product, product.group == group {
                values.merge(product.values) { own, _ in own }
            }
            product = (group, values.filter { shared.contains($0.key) })
        }
        values.merge(map.constants) { own, _ in own }
        values.merge(map.defaults) { own, _ in own }
        if let sku = values[.sku] { values[.sku] = map.skuPrefix + sku }
        divideTitle(&values)
        if values[.price]?.lowercased() == "variable" { setVariablePrice(&values, &result) }
        for field in RecordField.allCases {
            guard var text = values[field] ?? (field == .currency ? currency?.code : nil) else {
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
        result.finish(rounding: .halfEven)
        return result
    }

    /// Returns the text of a cell, or the sum of several. `nil` if they are empty.
    private static func text(in row: CSVRow, _ columns: [Int]) -> String? {
        let texts = columns.filter { $0 < row.count }.map { row[$0] }.filter { !$0.trimmed.isEmpty }
        guard texts.count > 1 else { return texts.first }
        var sum = 0
        for text in texts {
            guard let number = Int(RowRecord.wholeNumber(text).trimmed), (try? sum.add(number)) != nil else {
                return text
            }
        }
        return String(sum)
    }

    private func divideTitle(_ values: inout [RecordField: String]) {
        guard map.titleForm != .plain, let title = values[.title] else { return }
        guard let sign = title.firstRange(of: #/ [-–—] /#) else { return }
        let (artist, rest) = (title[..<sign.lowerBound].trimmed, title[sign.upperBound...].trimmed)
        guard map.titleForm == .artistAndTitle || values[.artist]?.trimmed.lowercased() == artist.lowercased() else {
            return
        }
        values[.artist] = artist
        values[.title] = rest
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
