import Foundation

/// A queue of bytes in temporary files. A file is closed, and its space is freed, when it has been read.
struct SpillQueue: ~Copyable {
    private var files: [SpillFile] = []
    /// The number of bytes that have not been read.
    private(set) var count = 0

    /// Appends bytes at the end.
    mutating func append(_ data: Data) throws(POSIXError) {
        // Larger files for more bytes, so that few are open.
        if (files.last?.size ?? .max) >= max(8 << 20, count / 8) { files.append(try SpillFile()) }
        try files.last?.append(data)
        count += data.count
    }

    /// Removes and returns bytes from the start, at least one if there are any.
    mutating func read(upTo limit: Int) throws(POSIXError) -> Data? {
        guard let file = files.first else { return nil }
        let data = try file.read(upTo: limit)
        count -= data.count
        if file.isRead { files.removeFirst() }
        return data
    }
}

/// A file that is written and read once, in order.
///
/// It has no name: the system deletes it when it is closed, even if the process is killed.
private final class SpillFile {
    private let descriptor: Int32
    private var position = 0
    private(set) var size = 0

    init() throws(POSIXError) {
        let folder = FileManager.default.temporaryDirectory
        var template = Array((folder.path + "/RecordKit-XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        if descriptor < 0 { throw .last }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
    }

    deinit {
        close(descriptor)
    }

    /// Whether all bytes have been read.
    var isRead: Bool { position == size }

    func append(_ data: Data) throws(POSIXError) {
        if data.write(to: descriptor, at: off_t(size)) < data.count { throw .last }
        size += data.count
    }

    func read(upTo limit: Int) throws(POSIXError) -> Data {
        var data = Data(count: min(limit, size - position))
        var count = -1
        repeat {
            count = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(position)) }
        } while count < 0 && errno == EINTR
        if count <= 0 { throw .last }
        position += count
        return data.prefix(count)
    }
}

extension POSIXError {
    /// The error of the last system call.
    fileprivate static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

extension Data {
    /// Writes the bytes to a file at a position.
    ///
    /// - Returns: The number of bytes that were written. After an error, which `errno` contains, not all of them.
    func write(to descriptor: Int32, at position: off_t) -> Int {
        withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = pwrite(descriptor, rest.baseAddress, rest.count, position + off_t(written))
                if count > 0 { written += count }
                if count == 0 || count < 0 && errno != EINTR { break }
            }
            return written
        }
    }
}
