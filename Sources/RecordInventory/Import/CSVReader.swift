/// Reads the rows of CSV text (RFC 4180), holding one chunk and one row at a time.
///
/// Lines end with LF, CR LF or CR. The delimiter is comma, semicolon, tab or `|`, whichever the first non-empty line
/// has most of. A first line such as `sep=;` names another; Excel neither shows nor counts it. Quotation marks within
/// an unquoted cell are ordinary text. Blank rows are counted and skipped.
struct CSVReader {
    let delimiter: UInt8
    /// Whether a quoted cell such as `"=""00042"""` is the text 00042, as in a file for spreadsheets.
    var isForSpreadsheets = false
    private let file: InputFile
    private var chunk: [UInt8]
    private var position = 0
    private var rowsRead = 0
    private var mayBeginWithLineFeed = false

    private enum State {
        case cellStart, plain, quoted
        /// After a quotation mark in a quoted cell: the end of the cell, or the first of two marks.
        case afterQuote
    }

    init(_ file: InputFile) throws(ImportError) {
        self.file = file
        chunk = []
        while chunk.count < 65_536, !chunk.drop(while: \.isLineBreak).contains(where: \.isLineBreak) {
            let more = try file.read()
            if more.isEmpty { break }
            chunk.append(contentsOf: more)
        }
        let first = chunk.prefix { !$0.isLineBreak }
        if let declared = Self.declaredDelimiter(in: first), first.count < chunk.count {
            delimiter = declared
            position = first.count + 1
            mayBeginWithLineFeed = chunk[first.count] == .carriageReturn
        } else {
            delimiter = Self.delimiter(in: chunk)
        }
    }

    var fractionRead: Double? { file.fractionRead }

    /// Returns the next row that is not blank, perhaps with a problem, or `nil` at the end.
    mutating func next() throws(ImportError) -> CSVRow? {
        while let row = try nextRow() {
            if !row.isBlank { return row }
        }
        return nil
    }

    private mutating func nextRow() throws(ImportError) -> CSVRow? {
        var row = CSVRow(number: rowsRead + 1, isForSpreadsheets: isForSpreadsheets)
        var state = State.cellStart
        var isQuoted = false
        let delimiter = delimiter
        while try fill() {
            let byte = chunk[position]
            if mayBeginWithLineFeed {
                mayBeginWithLineFeed = false
                if byte == .lineFeed {
                    position += 1
                    continue
                }
            }
            switch state {
            case .cellStart:
                isQuoted = byte == .quotationMark
                state = isQuoted ? .quoted : .plain
                if isQuoted { position += 1 }
            case .plain:
                row.append(run { $0 == delimiter || $0.isLineBreak })
                guard position < chunk.count else { continue }
                let end = chunk[position]
                position += 1
                row.endCell(isQuoted: isQuoted)
                state = .cellStart
                if end.isLineBreak {
                    mayBeginWithLineFeed = end == .carriageReturn
                    rowsRead += 1
                    return row
                }
            case .quoted:
                row.append(run { $0 == .quotationMark })
                guard position < chunk.count else { continue }
                position += 1
                state = .afterQuote
            case .afterQuote where byte == .quotationMark:
                row.append([byte])
                position += 1
                state = .quoted
            case .afterQuote:
                if byte != delimiter, !byte.isLineBreak { row.report(.textAfterQuote) }
                state = .plain
            }
        }
        if state == .cellStart, row.count == 0 { return nil }
        if state == .quoted { row.report(.unterminatedQuote) }
        row.endCell(isQuoted: isQuoted && state != .cellStart)
        row.isCut = true
        rowsRead += 1
        return row
    }

    /// Makes sure that there is a byte at `position`. Returns false at the end of the file.
    private mutating func fill() throws(ImportError) -> Bool {
        if position < chunk.count { return true }
        chunk = try file.read()
        position = 0
        return !chunk.isEmpty
    }

    /// Moves to the first byte that ends the run, or to the end of the chunk, and returns the run.
    private mutating func run(until isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while position < chunk.count, !isEnd(chunk[position]) { position += 1 }
        return chunk[start..<position]
    }

    /// Parses `sep=;`, in any case and perhaps in quotes.
    private static func declaredDelimiter(in line: ArraySlice<UInt8>) -> UInt8? {
        let isQuoted = line.first == .quotationMark && line.last == .quotationMark && line.count > 2
        let text = isQuoted ? line.dropFirst().dropLast() : line
        guard text.count == 5, let delimiter = text.last,
            text.prefix(4).map({ $0 | 0x20 }) == Array("sep=".utf8).map({ $0 | 0x20 })
        else { return nil }
        return delimiter
    }

    private static func delimiter(in text: [UInt8]) -> UInt8 {
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in text.drop(while: \.isLineBreak) {
            if byte == .quotationMark { isQuoted.toggle() }
            if isQuoted { continue }
            if byte.isLineBreak { break }
            counts[byte, default: 0] += 1
        }
        let candidates = [UInt8.comma, .semicolon, .tab, UInt8(ascii: "|")]
        return candidates.reduce(.comma) { counts[$1, default: 0] > counts[$0, default: 0] ? $1 : $0 }
    }
}

extension UInt8 {
    static let comma = UInt8(ascii: ",")
    static let semicolon = UInt8(ascii: ";")
    static let tab = UInt8(ascii: "\t")
    static let space = UInt8(ascii: " ")
    static let quotationMark = UInt8(ascii: "\"")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")

    var isLineBreak: Bool { self == .lineFeed || self == .carriageReturn }
}
