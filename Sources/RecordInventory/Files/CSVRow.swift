/// A row of a CSV file: its cells without their quotation marks.
struct CSVRow: Sendable {
    /// The number of the row as in a spreadsheet. The first is 1; line breaks in cells start no row.
    let number: Int
    private(set) var problem: Problem?
    /// Whether the file ends within this row.
    var isCut = false
    /// The bytes of all cells, and the end of each.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private var quoted: [Bool] = []

    enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
        case unterminatedQuote
        case textAfterQuote
        case tooLarge

        var description: String {
            switch self {
            case .unterminatedQuote:
                "a cell begins with a quotation mark and never ends; nothing after it was read"
            case .textAfterQuote:
                "there is text after the closing quotation mark of a cell; quotation marks within a cell are doubled"
            case .tooLarge:
                "larger than 1 MiB or 4096 cells; is a quotation mark missing?"
            }
        }
    }

    static let maximumSize = 1 << 20
    static let maximumCount = 4096

    /// Whether a quoted cell may be protected too, as in a file for spreadsheets.
    private let isForSpreadsheets: Bool

    init(number: Int, isForSpreadsheets: Bool = false) {
        self.number = number
        self.isForSpreadsheets = isForSpreadsheets
        bytes.reserveCapacity(256)
        ends.reserveCapacity(32)
        quoted.reserveCapacity(32)
    }

    var count: Int { ends.count }

    /// Whether all cells are empty or blank, as in the rows that spreadsheets leave behind.
    var isBlank: Bool {
        bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } && problem == nil
            && !quoted.contains(true)
    }

    /// The string in a cell.
    subscript(index: Int) -> String {
        let start = index == 0 ? 0 : ends[index - 1]
        return String(decoding: bytes[start..<ends[index]], as: UTF8.self)
    }

    /// Returns whether a cell was quoted, or protected as text. If such a cell is empty, it is an empty string and not
    /// a missing one.
    func isQuoted(_ index: Int) -> Bool {
        quoted[index]
    }

    func isEmpty(_ index: Int) -> Bool {
        ends[index] == (index == 0 ? 0 : ends[index - 1])
    }

    mutating func append(_ text: ArraySlice<UInt8>) {
        guard bytes.count + text.count <= Self.maximumSize else { return report(.tooLarge) }
        bytes.append(contentsOf: text)
    }

    mutating func endCell(isQuoted: Bool) {
        guard ends.count < Self.maximumCount else { return report(.tooLarge) }
        var isText = isQuoted
        let start = ends.last ?? 0
        // Spreadsheets write strings that look like numbers as `="0042"`.
        if !isQuoted || isForSpreadsheets, let text = SpreadsheetText.text(of: bytes[start...]) {
            bytes.replaceSubrange(start..., with: text)
            isText = true
        }
        ends.append(bytes.count)
        quoted.append(isText)
    }

    /// Records a problem, unless there is one already.
    mutating func report(_ problem: Problem) {
        self.problem = self.problem ?? problem
    }
}
