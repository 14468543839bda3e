/// Writes rows as CSV (RFC 4180 with LF as the line's end, as Unix tools like it).
///
/// No value stands as nothing between two commas, an empty text as `""`. What a spreadsheet would take for a formula is
/// written as it is: a file that is read back has to give the same texts.
struct CSVWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ cells: some Sequence<String?>) {
        var isFirst = true
        for cell in cells {
            if !isFirst { bytes.append(.comma) }
            isFirst = false
            if let cell { write(cell) }
        }
        bytes.append(.lineFeed)
    }

    /// Hands over what has been written and begins anew.
    mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private mutating func write(_ text: String) {
        let isPlain = text.utf8.allSatisfy { $0 != .comma && $0 != .quotationMark && !$0.isLineBreak }
        if isPlain, let first = text.utf8.first, let last = text.utf8.last, first != .space, last != .space {
            bytes.append(contentsOf: text.utf8)
            return
        }
        bytes.append(.quotationMark)
        for byte in text.utf8 {
            if byte == .quotationMark { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(.quotationMark)
    }
}

extension UInt8 {
    fileprivate static let space = UInt8(ascii: " ")
}
