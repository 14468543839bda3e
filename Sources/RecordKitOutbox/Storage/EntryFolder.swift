import Foundation
import RecordKit
import Synchronization

/// The folder with the files of one entry: its attachments, the files of its body, and a large response.
///
/// Each file is on the disk before its name is stored.
final class EntryFolder: Sendable {
    /// The key of the folder for encoders and decoders.
    static let codingKey = CodingUserInfoKey(rawValue: "RecordKitOutbox.folder")!

    let url: URL
    private let limit: Int
    private let written = Mutex(0)

    /// - Parameters:
    ///   - url: The URL. The folder is created with its first file.
    ///   - limit: The size of the largest file that is copied, in bytes.
    init(_ url: URL, limit: Int = .max) {
        self.url = url
        self.limit = limit
    }

    /// The size of the files that this object has copied.
    var bytes: Int { written.withLock { $0 } }

    /// Copies a file, and returns the name of the copy.
    ///
    /// Clones it where the file system can. A hard link would change with the app's file.
    func copy(_ file: URL) throws -> String {
        let source = open(file.path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard file.isFileURL, source >= 0, fstat(source, &status) == 0 else { throw failure(file) }
        defer { close(source) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw NetworkError.FileFailure(fileName: file.lastPathComponent, reason: .notAFile)
        }
        if Int(status.st_size) > limit {
            throw OutboxError(
                .full,
                "The attachment \(file.lastPathComponent) has \(status.st_size) bytes, and the limit of the outbox is "
                    + "\(limit). Raise `OutboxLimits.bytes`, or send a smaller file.")
        }
        // A folder of its own, so that the copy keeps its name.
        let name = "\(UUID().uuidString)/\(file.lastPathComponent)"
        let copy = url.appending(path: name)
        try createFolder(copy.deletingLastPathComponent())
        try write(source, to: copy)
        try synchronize(copy)
        written.withLock { $0 += Int(status.st_size) }
        return name
    }

    private func write(_ source: Int32, to copy: URL) throws {
        #if canImport(Darwin)
        if fclonefileat(source, AT_FDCWD, copy.path, 0) == 0 { return }
        #endif
        let descriptor = open(copy.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(copy) }
        let target = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        #if os(Linux)
        // FICLONE, which Swift doesn't import.
        if ioctl(descriptor, 0x4004_9409, source) == 0 { return }
        #endif
        let handle = FileHandle(fileDescriptor: source, closeOnDealloc: false)
        while let data = try handle.read(upToCount: 1 << 20), !data.isEmpty { try target.write(contentsOf: data) }
    }

    /// Writes a file, in place of one with the same name.
    func write(_ data: Data, as name: String) throws {
        let file = url.appending(path: name)
        try createFolder(url)
        try data.write(to: file)
        try synchronize(file)
    }

    /// Returns the name of a file in this folder, or `nil` for another file.
    func name(of file: URL) -> String? {
        let prefix = url.path + "/"
        return file.path.hasPrefix(prefix) ? String(file.path.dropFirst(prefix.count)) : nil
    }

    /// Returns the size of a file in this folder, or `nil` if there is none.
    func size(of name: String) -> Int? {
        var status = stat()
        return lstat(url.appending(path: name).path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Removes the folder, if it exists.
    func remove() {
        try? FileManager.default.removeItem(at: url)
    }

    private func createFolder(_ folder: URL) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Writes a file to the disk, and its name, which file systems have in its folders.
    private func synchronize(_ file: URL) throws {
        let descriptor = open(file.path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else {
            throw failure(file)
        }
        for folder in [file.deletingLastPathComponent(), url, url.deletingLastPathComponent()] {
            let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { continue }
            fsync(descriptor)
            close(descriptor)
        }
    }

    private func failure(_ file: URL) -> NetworkError.FileFailure {
        NetworkError.FileFailure(file, code: errno)
    }
}
