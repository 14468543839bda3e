/// Writes rows as CSV (RFC 4180, with LF as on Unix).
///
/// A missing value is nothing between two commas; an empty string is `""`. Does not escape what a spreadsheet takes for
/// a formula, so that a file that is read back has the same strings.
enum CSVWriter {
    static func row(_ cells: [String?]) -> [UInt8] {
        var row: [UInt8] = []
        for (index, cell) in cells.enumerated() {
            if index > 0 { row.append(.comma) }
            if let cell { write(cell, to: &row) }
        }
        row.append(.lineFeed)
        return row
    }

    private static func write(_ text: String, to row: inout [UInt8]) {
        let isPlain = text.utf8.allSatisfy { $0 != .comma && $0 != .quotationMark && !$0.isLineBreak }
        if isPlain, let first = text.utf8.first, let last = text.utf8.last, first != .space, last != .space {
            row.append(contentsOf: text.utf8)
            return
        }
        row.append(.quotationMark)
        for byte in text.utf8 {
            if byte == .quotationMark { row.append(byte) }
            row.append(byte)
        }
        row.append(.quotationMark)
    }
}
