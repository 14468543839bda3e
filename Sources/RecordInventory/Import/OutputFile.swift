import Foundation

/// A file that replaces the old one only when it is complete, or standard output (`-`).
///
/// Writes to a temporary file beside it. If writing fails or is abandoned, the old file stays. Writes directly to
/// devices and pipes. A link keeps pointing to its target.
final class OutputFile {
    /// Whether ``finish()`` replaces an existing file.
    let replacesFile: Bool
    private let path: String
    private let descriptor: Descriptor
    /// The temporary file, and the path that it gets at the end.
    private var replacement: (temporary: String, target: String)?
    private var buffer: [UInt8] = []

    init(_ path: String) throws(FileError) {
        self.path = path
        if path == "-" {
            descriptor = Descriptor(borrowing: STDOUT_FILENO)
            replacesFile = false
            return
        }
        var target = path
        var mode: mode_t?
        var status = stat()
        if stat(path, &status) == 0 {
            guard access(path, W_OK) == 0 else { throw FileError(path: path, action: .written, code: errno) }
            if status.st_mode & S_IFMT == S_IFREG {
                mode = status.st_mode & 0o777
                if let resolved = realpath(path, nil) {
                    target = String(cString: resolved)
                    free(resolved)
                }
            } else {
                // A folder fails here too, since it cannot be opened for writing.
                guard let device = Descriptor(opening: path, O_WRONLY) else {
                    throw FileError(path: path, action: .written, code: errno)
                }
                descriptor = device
                replacesFile = false
                return
            }
        } else if errno == ENOENT {
            target = try Self.end(of: path)
        } else {
            throw FileError(path: path, action: .written, code: errno)
        }
        let name = ".record-inventory-\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
        let folder = Self.folder(of: target)
        let temporary = folder + name
        guard let file = Descriptor(opening: temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666) else {
            let code = errno
            let refused = [EACCES, EPERM].contains(code) ? (folder.isEmpty ? "./" : folder) : nil
            throw FileError(path: path, action: .written, code: code, folder: refused)
        }
        descriptor = file
        replacement = (temporary, target)
        replacesFile = mode != nil
        guard let mode else { return }
        // Only root may change the owner. For any other user the new file is their own.
        _ = fchown(file.number, status.st_uid, status.st_gid)
        fchmod(file.number, mode)
    }

    deinit {
        if let replacement { unlink(replacement.temporary) }
    }

    func write(_ bytes: some Collection<UInt8>) throws(FileError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= 65_536 { try flush() }
    }

    /// Completes the file and moves it to its path. Without this call nothing is written, except to a device, a pipe or
    /// standard output.
    func finish() throws(FileError) {
        try flush()
        guard let replacement else { return }
        guard fsync(descriptor.number) == 0, rename(replacement.temporary, replacement.target) == 0 else {
            throw FileError(path: path, action: .written, code: errno)
        }
        self.replacement = nil
        // Without this, a loss of power could undo the renaming. Some file systems cannot do it, which is no error: the
        // contents are on the disk.
        let folder = Self.folder(of: replacement.target)
        if let folder = Descriptor(opening: folder.isEmpty ? "." : folder, O_RDONLY) { fsync(folder.number) }
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

    /// Returns the target of a link that does not exist yet, through further links.
    private static func end(of path: String) throws(FileError) -> String {
        var end = path
        // Linux follows as many.
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: end) else { return end }
            end = next.hasPrefix("/") ? next : folder(of: end) + next
        }
        throw FileError(path: path, action: .written, code: ELOOP)
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    private func flush() throws(FileError) {
        guard descriptor.write(buffer) else { throw FileError(path: path, action: .written, code: errno) }
        buffer.removeAll(keepingCapacity: true)
    }
}
