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
        var rest = data[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, end) }
            if written < 0 {
                if errno == EINTR { continue }
                throw .last
            }
            end += off_t(written)
            rest = rest.dropFirst(written)
        }
    }

    /// Removes and returns bytes from the start.
    mutating func read(upTo limit: Int) throws(POSIXError) -> Data {
        var data = Data(count: min(limit, count))
        var read = -1
        repeat {
            read = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, start) }
        } while read < 0 && errno == EINTR
        if read <= 0 { throw .last }
        start += off_t(read)
        return data.prefix(read)
    }
}

extension POSIXError {
    /// The error of the last system call.
    fileprivate static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
