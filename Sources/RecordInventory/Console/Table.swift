/// Rows of cells in columns, for a terminal. Shrinks the widest columns of text if the window is too narrow.
struct Table {
    struct Column {
        let title: String
        /// Whether the column holds numbers, which are aligned at the right.
        let isNumeric: Bool
        /// Whether the column is never cut.
        let staysWhole: Bool
        /// When the column is left out of a narrow table: 1 goes first. `nil` always stays.
        let leaves: Int?

        init(_ title: String, isNumeric: Bool = false, staysWhole: Bool = false, leaves: Int? = nil) {
            self.leaves = leaves
            self.title = title
            self.isNumeric = isNumeric
            self.staysWhole = staysWhole
        }
    }

    private static let gap = "  "

    private let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row with a cell for each column. `nil` is an empty cell.
    mutating func add(_ cells: [String?]) {
        rows.append(cells.map { ($0 ?? "").escapedForTerminal })
    }

    /// Returns the title and a line for each row, at most `width` columns wide if possible. Leaves out columns while
    /// others would have less than ``legibleWidth``.
    func lines(width: Int) -> [String] {
        if let narrower = narrowed(to: width) { return narrower.lines(width: width) }
        let widths = widths(within: width)
        return ([columns.map(\.title)] + rows).map { cells in
            var line = ""
            for (index, column) in columns.enumerated() where index < cells.count {
                let cell = cells[index].truncated(toWidth: widths[index])
                let padding = String(repeating: " ", count: max(0, widths[index] - cell.displayWidth))
                if index > 0 { line += Self.gap }
                if column.isNumeric {
                    line += padding + cell
                } else {
                    line += index == columns.count - 1 ? cell : cell + padding
                }
            }
            return line
        }
    }

    /// The width that a column of text should keep.
    private static let legibleWidth = 8

    /// Returns the table without the column that leaves next, or `nil` if it fits or none leaves.
    private func narrowed(to limit: Int) -> Table? {
        let wanted = zip(columns, widths(within: .max)).map { column, width in
            column.isNumeric || column.staysWhole ? width : min(width, Self.legibleWidth)
        }
        let gaps = Self.gap.count * max(0, columns.count - 1)
        let leaving = columns.indices.filter { columns[$0].leaves != nil }
        guard wanted.reduce(gaps, +) > limit,
            let next = leaving.min(by: { columns[$0].leaves ?? 0 < columns[$1].leaves ?? 0 })
        else { return nil }
        func without<Element>(_ elements: [Element]) -> [Element] {
            elements.enumerated().filter { $0.offset != next }.map(\.element)
        }
        var table = Table(without(columns))
        table.rows = rows.map(without)
        return table
    }

    private func widths(within limit: Int) -> [Int] {
        var widths = columns.map(\.title.displayWidth)
        for row in rows {
            for (index, cell) in zip(widths.indices, row) {
                widths[index] = max(widths[index], cell.displayWidth)
            }
        }
        var excess = widths.reduce(0, +) + Self.gap.count * max(0, columns.count - 1) - limit
        let giving = widths.indices.filter { !columns[$0].staysWhole }
        // A number that is cut looks like another number, so columns of numbers shrink last.
        for giving in [giving.filter { !columns[$0].isNumeric }, giving] {
            while excess > 0, let widest = giving.max(by: { widths[$0] < widths[$1] }), widths[widest] > 1 {
                widths[widest] -= 1
                excess -= 1
            }
        }
        return widths
    }
}
