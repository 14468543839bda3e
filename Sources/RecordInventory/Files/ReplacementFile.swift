import Foundation

/// A file that takes the place of another one when it is complete. Until then it is a hidden file beside it.
///
/// If it is abandoned, the old file stays. Holds a lock while it is written, by which the next one in the folder
/// recognizes what a killed process left, and removes it. A link keeps pointing to its target.
final class ReplacementFile {
    let descriptor: Descriptor
    /// The hidden file.
    let temporary: String
    /// The file that is replaced, through all links.
    let target: String
    /// The state of the file that is replaced. `nil` if there is none.
    let earlier: stat?
    /// The path in messages.
    private let path: String
    private var isFinished = false

    private static let prefix = ".record-inventory-"
    private static let suffix = ".tmp"

    /// - Parameter path: The path of a file, of a link to one, or of nothing yet.
    init(for path: String) throws(FileError) {
        self.path = path
        var status = stat()
        let exists = stat(path, &status) == 0
        guard exists ? access(path, W_OK) == 0 : errno == ENOENT else {
            throw FileError(path: path, action: .written, code: errno)
        }
        earlier = exists ? status : nil
        target = try Self.end(of: path)
        let folder = Self.folder(of: target)
        Self.removeLeftovers(in: folder)
        while true {
            let name = Self.prefix + String(UInt64.random(in: .min ... .max), radix: 36) + Self.suffix
            guard let file = Descriptor(opening: folder + name, O_RDWR | O_CREAT | O_EXCL, mode: 0o666) else {
                let code = errno
                let refused = [EACCES, EPERM].contains(code) ? folder : nil
                throw FileError(path: path, action: .written, code: code, folder: refused)
            }
            // Another process may have removed the file before it had its lock, or be about to. Some file systems have
            // no locks.
            if flock(file.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { continue }
            if fstat(file.number, &status) == 0, status.st_nlink == 0 { continue }
            descriptor = file
            temporary = folder + name
            break
        }
        guard let earlier else { return }
        // Only root may change the owner. For any other user the new file is their own.
        _ = fchown(descriptor.number, earlier.st_uid, earlier.st_gid)
        fchmod(descriptor.number, earlier.st_mode & 0o777)
    }

    deinit {
        if !isFinished { unlink(temporary) }
    }

    /// Takes from others what they may not do with a file.
    func limitPermissions(to mode: mode_t) {
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else { return }
        fchmod(descriptor.number, status.st_mode & mode & 0o777)
    }

    /// Writes the file to the disk and moves it to its path.
    func finish() throws(FileError) {
        guard fsync(descriptor.number) == 0, rename(temporary, target) == 0 else {
            throw FileError(path: path, action: .written, code: errno)
        }
        isFinished = true
        // Without this, a loss of power could undo the renaming. Some file systems cannot do it, which is no error: the
        // contents are on the disk.
        if let folder = Descriptor(opening: Self.folder(of: target), O_RDONLY) { fsync(folder.number) }
    }

    /// Removes the hidden files that no process is writing.
    private static func removeLeftovers(in folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            guard let file = Descriptor(opening: folder + name, O_RDONLY | O_NONBLOCK),
                flock(file.number, LOCK_EX | LOCK_NB) == 0
            else { continue }
            unlink(folder + name)
        }
        // SQLite's journals of copies that were killed.
        for name in names where name.hasPrefix(prefix) {
            guard let end = name.range(of: suffix + "-"), access(folder + name[..<end.lowerBound] + suffix, F_OK) != 0
            else {
                continue
            }
            unlink(folder + name)
        }
    }

    /// Returns whether a write to a path would replace a file.
    static func isSame(_ path: String, as file: URL) -> Bool {
        var (one, two) = (stat(), stat())
        if stat(path, &one) == 0, stat(file.path(percentEncoded: false), &two) == 0 {
            return one.st_dev == two.st_dev && one.st_ino == two.st_ino
        }
        let end = (try? end(of: path)) ?? path
        return path != "-" && URL(filePath: end).standardizedFileURL == file.standardizedFileURL
    }

    /// Returns the target of a link, through further links.
    private static func end(of path: String) throws(FileError) -> String {
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        var end = path
        // Linux follows as many.
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: end) else { return end }
            end = next.hasPrefix("/") ? next : folder(of: end) + next
        }
        throw FileError(path: path, action: .written, code: ELOOP)
    }

    /// Returns the path of the folder, with a slash at the end.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    }
}
