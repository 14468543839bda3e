import Foundation
import RecordKit

/// The file beside its target that a download is written to, until it is complete and moved into place.
///
/// A sidecar names the version of the resource. It is written while the file is empty, and removed before the file is
/// truncated. So whenever the process ends, a sidecar belongs to all bytes of the file. A damaged sidecar can't be
/// decoded, and counts as none.
///
/// In a folder that others can write to, another user may have left either file. Neither is used: the bytes could be
/// theirs, and the owner of the file could change it after it was verified.
final class PartialFile {
    let target: URL
    private let path: String
    private let sidecar: String
    private let descriptor: Int32
    /// The number of bytes in the file.
    private(set) var size: Int
    /// The version of the bytes in the file. `nil` if it is unknown, or if no response can continue it.
    var version: DownloadVersion?

    /// Opens the partial file of a target, and creates it if necessary. It is locked until this object is released.
    ///
    /// A file of another user, or one with a second link, is replaced with a new one.
    ///
    /// - Throws: `NetworkError.file(_:)` if the file can't be opened or replaced, or if another download has locked it.
    init(of target: URL) throws(NetworkError) {
        func failure(_ reason: NetworkError.FileFailure.Reason) -> NetworkError {
            .file(NetworkError.FileFailure(fileName: target.lastPathComponent, reason: reason))
        }
        func failure(code: Int32) -> NetworkError { .file(NetworkError.FileFailure(target, code: code)) }

        self.target = target
        path = target.path + ".partial"
        sidecar = path + ".json"
        guard target.isFileURL, !target.hasDirectoryPath, Self.isReplaceable(target.path) else {
            throw failure(.notAFile)
        }
        for _ in 0..<100 {
            // Never follows a link: another user may have made it, in a folder that both can write.
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
            guard descriptor >= 0 else { throw failure(code: errno) }
            var (mine, current) = (stat(), stat())
            guard fstat(descriptor, &mine) == 0, mine.st_mode & S_IFMT == S_IFREG else {
                close(descriptor)
                throw failure(.notAFile)
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                close(descriptor)
                throw code == EWOULDBLOCK ? failure(.inUse) : failure(code: code)
            }
            // Another download may have moved or removed the file before the lock was taken.
            if lstat(path, &current) == 0, current.st_ino == mine.st_ino, current.st_dev == mine.st_dev {
                if Self.isOwn(mine) {
                    self.descriptor = descriptor
                    size = Int(mine.st_size)
                    if size > 0 { version = Self.version(in: sidecar) }
                    return
                }
                if unlink(path) != 0, errno != ENOENT {
                    close(descriptor)
                    throw failure(.ofAnotherUser)
                }
            }
            close(descriptor)
        }
        throw failure(.inUse)
    }

    deinit {
        close(descriptor)
    }

    /// Returns whether a file belongs to the user of this process, under this name alone.
    private static func isOwn(_ status: stat) -> Bool {
        status.st_uid == geteuid() && status.st_nlink == 1
    }

    /// Returns whether there is no file at a path, or one that a rename replaces with a file.
    private static func isReplaceable(_ path: String) -> Bool {
        var found = stat()
        guard lstat(path, &found) == 0 else { return true }
        return found.st_mode & S_IFMT == S_IFREG || found.st_mode & S_IFMT == S_IFLNK
    }

    private static func version(in sidecar: String) -> DownloadVersion? {
        let descriptor = open(sidecar, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, isOwn(status),
            let json = try? file.readToEnd()
        else { return nil }
        return try? JSONDecoder().decode(DownloadVersion.self, from: json)
    }

    /// Empties the file, and stores the version of the bytes that follow.
    ///
    /// - Parameter version: The version, or `nil` if a later download can't continue it.
    func startOver(_ version: DownloadVersion?) throws(NetworkError) {
        self.version = version
        if unlink(sidecar) != 0, errno != ENOENT { throw failure() }
        try truncate(to: 0)
        guard let version else { return }
        do {
            try JSONEncoder().encode(version).write(to: URL(filePath: sidecar), options: .atomic)
        } catch {
            throw .file(
                NetworkError.FileFailure(
                    fileName: target.lastPathComponent, reason: .other, cause: error))
        }
    }

    /// Returns the number of bytes that can be continued, and their version, without locking the file.
    static func left(of target: URL) -> (size: Int, version: DownloadVersion)? {
        let path = target.path + ".partial"
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, isOwn(status), status.st_size > 0,
            let version = version(in: path + ".json")
        else { return nil }
        return (Int(status.st_size), version)
    }

    /// Removes the bytes from a position on.
    func truncate(to size: Int) throws(NetworkError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw failure() }
        self.size = size
    }

    /// Appends bytes. Waits for the disk.
    func write(_ data: Data) throws(NetworkError) {
        let written = Self.write(data, to: descriptor, at: off_t(size))
        size += written
        if written < data.count { throw failure() }
    }

    /// Writes the bytes to a file at a position.
    ///
    /// - Returns: The number of bytes that were written. After an error, which `errno` contains, not all of them.
    private static func write(_ data: Data, to descriptor: Int32, at position: off_t) -> Int {
        data.withUnsafeBytes { bytes in
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

    /// Returns up to 1 MB from a position on, or `nil` at the end.
    func read(at position: Int) throws(NetworkError) -> Data? {
        var data = Data(count: 1 << 20)
        let count = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(position)) }
        if count < 0 { throw failure() }
        return count == 0 ? nil : data.prefix(count)
    }

    /// Replaces the target with the file.
    ///
    /// The bytes are on the disk before the name is, so that no crash of the system leaves an incomplete target.
    func moveIntoPlace() throws(NetworkError) {
        guard fsync(descriptor) == 0 else { throw failure() }
        guard rename(path, target.path) == 0 else { throw failure() }
        unlink(sidecar)
        let folder = open(target.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    /// Removes the file and its sidecar.
    func remove() {
        unlink(sidecar)
        unlink(path)
    }

    private func failure() -> NetworkError {
        .file(NetworkError.FileFailure(target, code: errno))
    }
}
