import Foundation

/// The figures of one workload.
struct FigureTable: Sendable {
    let name: String
    let title: String
    let unit: String
    let operations: Int
    let rows: [Figures]

    /// The table as Markdown, for the guide.
    var text: String {
        let references = rows.filter(\.isReference)
        var lines: [[String]] = [["\(name): \(title)", unit] + references.map { "× \($0.name)" }]
        for row in rows {
            let isLarge = row.spread.median >= 1_000
            lines.append(
                [row.name, row.spread.text(decimals: isLarge ? 0 : 1)]
                    + references.map { $0.name == row.name ? "1" : row.ratio(to: $0).text(decimals: 2) })
        }
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        lines.insert(widths.map { String(repeating: "-", count: $0) }, at: 1)
        let text = lines.map { cells in
            let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        return text.joined(separator: "\n") + "\n"
    }

    /// Prints at once, even into a file or a pipe.
    func print() {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
