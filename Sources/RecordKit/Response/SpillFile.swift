import Foundation

/// A queue of bytes in a temporary file.
///
/// The file has no name: the system deletes it when it is closed, even if the process is killed.
struct SpillFile: ~Copyable {
    private let descriptor: Int32
    private var start: off_t = 0
    private var end: off_t = 0

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

    /// The number of bytes that have not been read.
    var count: Int { Int(end - start) }

    /// Appends bytes at the end.
    mutating func append(_ data: Data) throws(POSIXError) {
        try write(data, at: end)
        end += off_t(data.count)
    }

    /// Removes and returns bytes from the start.
    mutating func read(upTo limit: Int) throws(POSIXError) -> Data {
        let data = try bytes(upTo: limit, at: start)
        start += off_t(data.count)
        if start >= Self.reclaimableSize, Int(start) >= count { try reclaim() }
        return data
    }

    /// The number of removed bytes whose space is reclaimed.
    private static let reclaimableSize: off_t = 8 << 20

    /// Moves the unread bytes to the start of the file, so that the file of an endless stream doesn't grow.
    private mutating func reclaim() throws(POSIXError) {
        let (first, length) = (start, off_t(count))
        var position: off_t = 0
        while position < length {
            let data = try bytes(upTo: 1 << 16, at: first + position)
            try write(data, at: position)
            position += off_t(data.count)
        }
        (start, end) = (0, length)
        if ftruncate(descriptor, length) != 0 { throw .last }
    }

    private func write(_ data: Data, at position: off_t) throws(POSIXError) {
        if data.write(to: descriptor, at: position) < data.count { throw .last }
    }

    private func bytes(upTo limit: Int, at position: off_t) throws(POSIXError) -> Data {
        var data = Data(count: min(limit, Int(end - position)))
        var read = -1
        repeat {
            read = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, position) }
        } while read < 0 && errno == EINTR
        if read <= 0 { throw .last }
        return data.prefix(read)
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
