import Foundation

/// A file or standard input (`-`), read in chunks and checked for UTF-8. A file in another encoding is decoded as a
/// whole.
///
/// Checks a regular file to its end before the first chunk is returned, so that nothing is imported from a file in
/// another encoding. Checks a pipe as it is read.
final class InputFile {
    let path: String
    private let descriptor: Descriptor
    private let size: Int?
    /// The rest of a file in another encoding, as UTF-8.
    private var decoded: ArraySlice<UInt8>?
    private let chunkSize: Int
    private var bytesRead = 0
    private var start: [UInt8] = []
    private var check = UTF8Check()
    /// A Ctrl-Z that has been read, and is left out if nothing follows.
    private var endMark: [UInt8] = []
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// A larger file in another encoding than UTF-8 is refused, since it is held in memory.
    private static let maximumSize = 256 << 20

    /// - Parameter encoding: The encoding, or `nil` for UTF-8.
    init(_ path: String, chunkSize: Int = 65_536, encoding: TextEncoding? = nil) throws(ImportError) {
        self.path = path
        self.chunkSize = chunkSize
        if path == "-" {
            descriptor = Descriptor(borrowing: STDIN_FILENO)
        } else if let opened = Descriptor(opening: path, O_RDONLY) {
            descriptor = opened
        } else {
            throw Self.failure(path, errno)
        }
        if let encoding {
            let bytes = try Self.bytes(of: descriptor, path)
            try Self.checkKind(Array(bytes.prefix(4)), path)
            guard let text = encoding.text(of: bytes) else { throw .notInEncoding(path: path, name: encoding.name) }
            decoded = Array(text.utf8)[...]
            size = text.utf8.count
            return
        }
        size = path == "-" ? nil : descriptor.fileSize
        if size != nil {
            while try !read().isEmpty {}
            guard lseek(descriptor.number, 0, SEEK_SET) == 0 else { throw Self.failure(path, errno) }
            (bytesRead, endMark, check) = (0, [], UTF8Check())
        }
    }

    /// Throws if a file is no text by its first bytes, but a spreadsheet or another document.
    private static func checkKind(_ start: [UInt8], _ path: String) throws(ImportError) {
        let kind: String
        switch start {
        case [0x50, 0x4B, 0x03, 0x04]:
            let name = path.lowercased()
            kind =
                name.hasSuffix(".xlsx")
                ? "an Excel workbook"
                : name.hasSuffix(".ods") ? "an OpenDocument spreadsheet" : "a ZIP archive or a spreadsheet"
        case [0xD0, 0xCF, 0x11, 0xE0]: kind = "an old Excel workbook"
        case Array("%PDF".utf8): kind = "a PDF document"
        default: return
        }
        throw .kind(path: path, kind)
    }

    /// How much of a regular file has been returned, from 0 to 1, or `nil` for a pipe.
    var fractionRead: Double? {
        guard let size else { return nil }
        return size == 0 ? 1 : min(1, Double(bytesRead) / Double(size))
    }

    /// Returns the next bytes, without byte-order marks at the start and a Ctrl-Z at the end. Returns none at the end.
    func read() throws(ImportError) -> [UInt8] {
        while true {
            let part = try readPart()
            // A mark that nothing follows is the end of a file of DOS.
            if part.isEmpty { return [] }
            var chunk = endMark + part
            endMark = chunk.last == 0x1A ? [chunk.removeLast()] : []
            if !chunk.isEmpty { return chunk }
        }
    }

    private func readPart() throws(ImportError) -> [UInt8] {
        var chunk: [UInt8] = []
        repeat {
            // A byte-order mark may come in pieces.
            if size == nil, !descriptor.waitForBytes() { throw Self.failure(path, ECANCELED) }
            guard let count = receive(into: &chunk) else { throw Self.failure(path, errno) }
            if count == 0 { break }
        } while bytesRead == 0 && chunk.count < 6
        if bytesRead == 0 {
            start = Array(chunk.prefix(4))
            try Self.checkKind(start, path)
        }
        if let index = check.firstError(in: chunk) {
            let part = chunk[max(0, index - 2_048)..<min(chunk.count, index + 2_048)]
            throw .encoding(path: path, EncodingGuess(start: start, part: part), line: check.line)
        }
        if chunk.isEmpty, !check.isComplete {
            if check.hasWholeCharacter { throw .cut(path: path, line: check.line) }
            throw .encoding(path: path, EncodingGuess(start: start, part: []), line: check.line)
        }
        let isStart = bytesRead == 0
        bytesRead += chunk.count
        guard isStart, chunk.starts(with: Self.byteOrderMark) else { return chunk }
        // A program may add one to a file that has one.
        while chunk.starts(with: Self.byteOrderMark) { chunk.removeFirst(3) }
        // An empty chunk would mean the end.
        return try chunk.isEmpty ? readPart() : chunk
    }

    private func receive(into chunk: inout [UInt8]) -> Int? {
        guard let part = decoded?.prefix(chunkSize) else { return descriptor.read(chunkSize, into: &chunk) }
        decoded = decoded?.dropFirst(part.count)
        chunk += part
        return part.count
    }

    private static func bytes(of descriptor: Descriptor, _ path: String) throws(ImportError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            guard descriptor.waitForBytes() else { throw failure(path, ECANCELED) }
            guard let count = descriptor.read(1 << 20, into: &bytes) else { throw failure(path, errno) }
            guard bytes.count <= maximumSize else { throw failure(path, EFBIG) }
            if count == 0 { return bytes }
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> ImportError {
        .unreadable(FileError(path: path, action: .read, code: code))
    }
}
