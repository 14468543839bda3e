import Foundation
import RecordKit

/// Finds the elements of a list in a body that arrives in chunks.
///
/// Keeps the elements that it has found until they are taken, and the start of the next one. Other bytes aren't kept.
struct ElementSplitter: Sendable {
    /// The reasons why the body isn't a list of this format.
    enum Fault: Error {
        /// The bytes are not JSON. They are in the next element, or elsewhere.
        case invalid(inElement: Bool)
        /// A value has too many nested levels.
        case tooDeep(inElement: Bool)
        /// An element is larger than the limit.
        case tooLarge
        /// The body ends in an element, or elsewhere before the end of the list.
        case incomplete(inElement: Bool)
        /// The body has no value at all.
        case empty
        /// There are more bytes after the root value.
        case notAtEnd
        /// The object at this level of the path has no such member.
        case noMember(level: Int)
        /// The value at this level of the path isn't an object, or at its end isn't an array.
        case wrongType(level: Int)
    }

    /// What comes next, apart from whitespace. `in…` continues a value.
    private enum State {
        // An array, possibly in objects. As in Foundation, a comma may be before the end.
        case value, nameOrEnd, inName, colon, skipped, inSkipped, commaOrEnd
        case elementOrEnd, inElement, elementCommaOrEnd
        case end
        // NDJSON and JSON text sequences.
        case separator, record, inRecord, droppedRecord, recordEnd
    }

    private let format: ElementFormat
    private let path: [String]
    private var state: State
    /// The number of objects that the path has led into.
    private var level = 0
    /// Whether the list has been read.
    private var isRead = false
    /// Whether anything other than a byte-order mark has been read.
    private var isBegun = false
    private var byteOrderMark = JSONByte.byteOrderMark[...]
    private var scanner = JSONValueScanner()
    /// The name of the member that is being read, with its quotes.
    private var name = Data()
    private(set) var found: FoundElements
    /// The number of elements of a JSON text sequence that were dropped, since they are truncated.
    private(set) var dropped = 0

    /// - Parameters:
    ///   - path: The names of the members that lead to the list. Only an array has a path.
    ///   - limit: The size limit of an element, and of a name.
    init(_ format: ElementFormat, path: [String], limit: Int) {
        self.format = format
        self.path = path
        found = FoundElements(limit: limit)
        state =
            switch format {
            case .lines: .record
            case .sequence: .separator
            default: .value
            }
    }

    /// Returns the elements that were found, and keeps only the start of the next one.
    mutating func take() -> FoundElements? {
        found.take()
    }

    /// Reads the next chunk.
    mutating func split(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
        var position = 0
        while position < bytes.count {
            switch state {
            case .inRecord where format == .sequence: position = try readRecord(bytes, from: position)
            case .inElement, .inRecord:
                let end = try scanned(bytes, from: position)
                try found.append(bytes, position..<(end ?? bytes.count))
                guard let end else { return }
                endElement()
                position = end
            case .inName:
                let end = try scanned(bytes, from: position)
                try appendName(bytes, position..<(end ?? bytes.count))
                guard let end else { return }
                state = .colon
                position = end
            case .droppedRecord:
                guard let next = bytes[position...].firstIndex(of: JSONByte.recordSeparator) else { return }
                state = .recordEnd
                position = next
            case .inSkipped:
                guard let end = try scanned(bytes, from: position) else { return }
                state = .commaOrEnd
                position = end
            default:
                if try isTaken(bytes[position]) { position += 1 }
            }
        }
    }

    /// Reads the end of the body.
    mutating func finish() throws(Fault) {
        switch state {
        case .end, .record, .droppedRecord, .recordEnd, .separator: return
        case .inRecord:
            // A scalar of a sequence that isn't followed by whitespace may be truncated (RFC 7464 section 2.4).
            if format == .sequence { return drop() }
            guard scanner.isScalar else { throw .incomplete(inElement: true) }
            found.endElement()
            state = .recordEnd
        case .inElement: throw .incomplete(inElement: true)
        case _ where !isBegun && byteOrderMark.count == JSONByte.byteOrderMark.count: throw .empty
        default: throw .incomplete(inElement: false)
        }
    }

    /// Reads a record of a JSON text sequence, up to the next record separator at most. Returns the position after it.
    ///
    /// Drops an element that is truncated: the next separator begins another one in any case (RFC 7464 section 2.1).
    private mutating func readRecord(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(Fault) -> Int {
        let separator = bytes[start...].firstIndex(of: JSONByte.recordSeparator)
        let record = UnsafeRawBufferPointer(rebasing: bytes[..<(separator ?? bytes.count)])
        let end: Int?
        do throws(JSONValueScanner.Fault) {
            end = try scanner.scan(record, from: start)
        } catch {
            if case .tooDeep = error { throw .tooDeep(inElement: true) }
            drop()
            state = .droppedRecord
            return separator ?? bytes.count
        }
        try found.append(bytes, start..<(end ?? record.count))
        // A scalar that isn't followed by whitespace may be truncated, too (section 2.4).
        if separator != nil, end == nil || scanner.isScalar && end == separator {
            drop()
        } else if end != nil {
            found.endElement()
            state = .recordEnd
        }
        return end ?? record.count
    }

    private mutating func drop() {
        found.dropStart()
        dropped += 1
        state = .recordEnd
    }

    private mutating func scanned(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(Fault) -> Int? {
        do throws(JSONValueScanner.Fault) {
            return try scanner.scan(bytes, from: start)
        } catch {
            let inElement = state == .inElement || state == .inRecord
            switch error {
            case .tooDeep: throw .tooDeep(inElement: inElement)
            case .invalid: throw .invalid(inElement: inElement)
            }
        }
    }

    private mutating func endElement() {
        found.endElement()
        state = state == .inRecord ? .recordEnd : .elementCommaOrEnd
    }

    /// Reads a byte between values. Returns whether it was taken: the first byte of a value isn't.
    private mutating func isTaken(_ byte: UInt8) throws(Fault) -> Bool {
        if !isBegun, let next = byteOrderMark.first {
            if byte == next {
                byteOrderMark = byteOrderMark.dropFirst()
                return true
            }
            if byteOrderMark.count < JSONByte.byteOrderMark.count { throw .invalid(inElement: false) }
        }
        isBegun = true
        if JSONByte.isWhitespace(byte) {
            if state == .recordEnd, byte == JSONByte.lineFeed, format == .lines { state = .record }
            return true
        }
        switch (state, byte) {
        case (.value, JSONByte.openBrace) where level < path.count: state = .nameOrEnd
        case (.value, JSONByte.openBracket) where level == path.count: state = .elementOrEnd
        case (.value, _): throw .wrongType(level: level)
        case (.nameOrEnd, JSONByte.quote):
            begin(.inName)
            name = Data()
            return false
        case (.colon, JSONByte.colon):
            let isOnPath = !isRead && isName(path[level])
            if isOnPath { level += 1 }
            state = isOnPath ? .value : .skipped
        case (.skipped, _):
            begin(.inSkipped)
            return false
        case (.commaOrEnd, JSONByte.comma): state = .nameOrEnd
        case (.nameOrEnd, JSONByte.closeBrace), (.commaOrEnd, JSONByte.closeBrace): try endObject()
        case (.elementOrEnd, JSONByte.closeBracket), (.elementCommaOrEnd, JSONByte.closeBracket):
            isRead = true
            state = level == 0 ? .end : .commaOrEnd
        case (.elementCommaOrEnd, JSONByte.comma): state = .elementOrEnd
        case (.elementOrEnd, _):
            begin(.inElement)
            return false
        case (.separator, JSONByte.recordSeparator), (.recordEnd, JSONByte.recordSeparator):
            guard format == .sequence else { throw .invalid(inElement: false) }
            state = .record
        case (.record, JSONByte.recordSeparator) where format == .sequence: break
        case (.record, _):
            begin(.inRecord)
            return false
        case (.end, _): throw .notAtEnd
        default: throw .invalid(inElement: false)
        }
        return true
    }

    private mutating func begin(_ next: State) {
        scanner = JSONValueScanner(allowsLineBreaks: format != .lines)
        state = next
    }

    private mutating func endObject() throws(Fault) {
        if !isRead { throw .noMember(level: level) }
        level -= 1
        state = level == 0 ? .end : .commaOrEnd
    }

    private mutating func appendName(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(Fault) {
        if isRead { return }
        if name.count + range.count > found.limit { throw .tooLarge }
        name.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }

    /// Returns whether the name that was read is the given one. A name with escapes is decoded.
    private func isName(_ expected: String) -> Bool {
        if name.contains(JSONByte.backslash) { return (try? JSONDecoder().decode(String.self, from: name)) == expected }
        return name.dropFirst().dropLast().elementsEqual(expected.utf8)
    }
}

/// Elements as a JSON array: those that are complete, and the start of the next one.
struct FoundElements: Sendable {
    /// The size limit of an element.
    let limit: Int
    /// A bracket, and then the elements, each with a comma after it, and the start of the next one. When the elements
    /// are taken, the last comma becomes a bracket.
    private var bytes = Data([JSONByte.openBracket])
    /// The positions of the commas.
    private var commas: [Int] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// The number of complete elements.
    var count: Int { commas.count }

    /// The elements as a JSON array, once they were taken.
    var list: Data { bytes[...(commas.last ?? 0)] }

    /// Returns an element.
    subscript(index: Int) -> Data {
        Data(bytes[(index == 0 ? 1 : commas[index - 1] + 1)..<commas[index]])
    }

    /// Appends bytes of the next element.
    mutating func append(_ chunk: UnsafeRawBufferPointer, _ range: Range<Int>) throws(ElementSplitter.Fault) {
        let start = commas.last ?? 0
        if bytes.count - start - 1 + range.count > limit { throw .tooLarge }
        guard let base = chunk.baseAddress else { return }
        bytes.append((base + range.lowerBound).assumingMemoryBound(to: UInt8.self), count: range.count)
    }

    /// Drops the bytes of the next element.
    mutating func dropStart() {
        bytes = bytes.prefix((commas.last ?? 0) + 1)
    }

    /// Completes the next element.
    mutating func endElement() {
        commas.append(bytes.count)
        bytes.append(JSONByte.comma)
    }

    /// Removes and returns the complete elements. Returns `nil` if there are none.
    mutating func take() -> FoundElements? {
        guard let last = commas.last else { return nil }
        var next = Data(capacity: bytes.count)
        next.append(JSONByte.openBracket)
        next.append(bytes[(last + 1)...])
        bytes[last] = JSONByte.closeBracket
        let taken = self
        bytes = next
        commas = []
        return taken
    }
}
