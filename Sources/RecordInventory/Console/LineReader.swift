/// Reads the lines of an input one by one, as a scanner or a script sends them.
struct LineReader {
    private let input: Input
    private var bytes: [UInt8] = []
    private var isAtEnd = false

    /// A longer line is cut. No SKU and no command is as long.
    private static let limit = 4_096

    init(_ input: Input) {
        self.input = input
    }

    /// Returns the next line without its end, or `nil` at the end of the input.
    mutating func next() throws -> String? {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeSubrange(...end) }
                return text(bytes[..<end])
            }
            if isAtEnd {
                defer { bytes = [] }
                return bytes.isEmpty ? nil : text(bytes[...])
            }
            let more = try input.read()
            isAtEnd = more.isEmpty
            bytes += more
        }
    }

    private func text(_ line: ArraySlice<UInt8>) -> String {
        let line = line.prefix(Self.limit)
        return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
}
