import Foundation
import RecordKit
import Synchronization

/// The folder with the files of one entry: its attachments, the files of its body, and a large response.
///
/// Each file is on the disk before its name is stored.
final class EntryFolder: Sendable {
    /// The key of the folder for encoders and decoders.
    static let codingKey = CodingUserInfoKey(rawValue: "RecordKitOutbox.folder")!

    private struct Contents {
        var count = 0
        var bytes = 0
    }

    let url: URL
    private let contents = Mutex(Contents())

    /// - Parameter url: The URL. The folder is created with its first file.
    init(_ url: URL) {
        self.url = url
    }

    /// The size of the files that this object has written.
    var bytes: Int { contents.withLock { $0.bytes } }

    /// Whether this object has written a file.
    var isUsed: Bool { contents.withLock { $0.count > 0 } }

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
        return try add(file.lastPathComponent) { copy in
            #if canImport(Darwin)
            if fclonefileat(source, AT_FDCWD, copy.path, 0) == 0 { return Int(status.st_size) }
            #endif
            return try write(to: copy) { target in
                #if os(Linux)
                // FICLONE, which Swift doesn't import.
                if ioctl(target.fileDescriptor, 0x4004_9409, source) == 0 { return Int(status.st_size) }
                #endif
                var size = 0
                let handle = FileHandle(fileDescriptor: source, closeOnDealloc: false)
                while let data = try handle.read(upToCount: 1 << 20), !data.isEmpty {
                    try target.write(contentsOf: data)
                    size += data.count
                }
                return size
            }
        }
    }

    /// Writes a file, and returns its name.
    func write(_ data: Data) throws -> String {
        try add("body") { file in
            try write(to: file) { target in
                try target.write(contentsOf: data)
                return data.count
            }
        }
    }

    /// Returns the name of a file in this folder, or `nil` for another file.
    func name(of file: URL) -> String? {
        let prefix = url.path + "/"
        return file.path.hasPrefix(prefix) ? String(file.path.dropFirst(prefix.count)) : nil
    }

    /// Removes the folder, if it exists.
    func remove() {
        try? FileManager.default.removeItem(at: url)
    }

    /// Creates a file in a folder of its own, so that it keeps its name, and writes it to the disk.
    private func add(_ name: String, _ make: (URL) throws -> Int) throws -> String {
        let index = contents.withLock { contents in
            contents.count += 1
            return contents.count
        }
        // A second process of the app may have other copies of the same entry.
        let folder = url.appending(path: "\(index)-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = folder.appending(path: name)
        let size = try make(file)
        let descriptor = open(file.path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else {
            throw failure(file)
        }
        for folder in [folder, url, url.deletingLastPathComponent()] { Self.synchronize(folder) }
        contents.withLock { $0.bytes += size }
        return "\(folder.lastPathComponent)/\(name)"
    }

    private func write(to file: URL, _ write: (FileHandle) throws -> Int) throws -> Int {
        let target = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw failure(file) }
        let handle = FileHandle(fileDescriptor: target, closeOnDealloc: true)
        return try write(handle)
    }

    /// Writes the names in a folder to the disk, where the file system has them there apart from the files.
    private static func synchronize(_ folder: URL) {
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return }
        fsync(descriptor)
        close(descriptor)
    }

    private func failure(_ file: URL) -> NetworkError.FileFailure {
        NetworkError.FileFailure(file, code: errno)
    }
}
