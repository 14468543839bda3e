import CSQLite

/// The pattern of a `like_` filter: text with `*` for anything, matched whatever the case.
///
/// SQLite's own LIKE folds the case of ASCII alone, and gives `%` and `_` a meaning of their own.
struct TextPattern {
    /// The SQL function `resembles(text, pattern)`: 1 or 0; 0 when the text is NULL.
    static let functionName = "resembles"

    private let pieces: [[UInt8]]

    /// Without any `*`, the text is looked for anywhere.
    init(_ pattern: String) {
        let whole = pattern.contains("*") ? pattern : "*\(pattern)*"
        pieces = Self.folded(Array(whole.utf8))
            .split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
            .map(Array.init)
    }

    func matches(_ text: [UInt8]) -> Bool {
        var rest = Self.folded(text)[...]
        guard let first = pieces.first, let last = pieces.last, rest.starts(with: first) else { return false }
        guard pieces.count > 1 else { return rest.count == first.count }
        rest = rest.dropFirst(first.count)
        guard rest.suffix(last.count).elementsEqual(last) else { return false }
        rest = rest.dropLast(last.count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let end = Self.end(of: piece, in: rest) else { return false }
            rest = rest[end...]
        }
        return true
    }

    /// The C function behind the SQL one.
    static func answer(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        guard let values, let text = utf8(values[0]), let pattern = utf8(values[1]) else {
            return sqlite3_result_int(context, 0)
        }
        let matches = TextPattern(String(decoding: pattern, as: UTF8.self)).matches(text)
        sqlite3_result_int(context, matches ? 1 : 0)
    }

    private static func utf8(_ value: OpaquePointer?) -> [UInt8]? {
        guard let start = sqlite3_value_text(value) else { return nil }
        return Array(UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }

    private static func folded(_ text: [UInt8]) -> [UInt8] {
        guard text.allSatisfy({ $0 < 0x80 }) else {
            return Array(String(decoding: text, as: UTF8.self).lowercased().utf8)
        }
        return text.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    private static func end(of piece: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        guard text.count >= piece.count else { return nil }
        for start in text.startIndex...(text.endIndex - piece.count)
        where text[start] == piece[0] && text[start..<start + piece.count].elementsEqual(piece) {
            return start + piece.count
        }
        return nil
    }
}
