import CSQLite
import Foundation

// Files that only their owner may read.
extension SQLiteDatabase {
    /// Opens a file for its owner alone, or creates it. Doesn't follow a symbolic link in its place.
    ///
    /// Withdraws the permissions of others on an existing file. SQLite gives its other files the same permissions.
    ///
    /// - Parameters:
    ///   - path: The path of the file. Its folder exists.
    ///   - patience: How long a statement blocks its thread while another connection holds a lock, in milliseconds.
    package static func openPrivate(_ path: String, patience: Int32) throws(SQLiteError) -> SQLiteDatabase {
        let descriptor = Foundation.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw systemError(path)
        }
        // The file isn't opened for this: closing it would end the locks that this process has on it.
        for path in [path, path + "-wal", path + "-shm"] { try restrict(path) }
        return try SQLiteDatabase(file: path, patience: patience)
    }

    /// Withdraws the permissions of others to read or write a file, if it exists.
    private static func restrict(_ path: String) throws(SQLiteError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT != S_IFREG {
            throw SQLiteError(code: 0, message: "\(path) isn't a file, or is a symbolic link", file: path)
        }
        if status.st_mode & 0o077 != 0, chmod(path, 0o600) != 0 { throw systemError(path) }
    }

    private static func systemError(_ path: String) -> SQLiteError {
        SQLiteError(code: errno == ENOSPC ? SQLITE_FULL : 0, message: String(cString: strerror(errno)), file: path)
    }

    /// Switches the file to a write-ahead log. SQLite doesn't wait for other processes that do the same.
    package func useWriteAheadLog() throws(SQLiteError) {
        for _ in 0..<100 {
            do throws(SQLiteError) {
                return try execute("PRAGMA journal_mode = WAL")
            } catch {
                if !error.isBusy { throw error }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
        try execute("PRAGMA journal_mode = WAL")
    }
}

// Damaged files.
extension SQLiteDatabase {
    /// Copies the file as it is, and its log, to new files for their owner alone. The file may be damaged.
    ///
    /// Reads it through SQLite: closing another descriptor of it would end the locks that this process has on it.
    package func copyFile(to path: String) throws {
        var source: UnsafeMutablePointer<sqlite3_file>?
        let found = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &source)
        guard found == SQLITE_OK, let source, let methods = source.pointee.pMethods?.pointee,
            let read = methods.xRead, let readSize = methods.xFileSize
        else { throw SQLiteError(code: found, handle: handle, file: file) }
        let target = Foundation.open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if target < 0 { throw Self.systemError(path) }
        let copy = FileHandle(fileDescriptor: target, closeOnDealloc: true)
        var size: Int64 = 0
        var code = readSize(source, &size)
        var position: Int64 = 0
        while code == SQLITE_OK, position < size {
            var chunk = [UInt8](repeating: 0, count: Int(min(size - position, 1 << 20)))
            code = read(source, &chunk, Int32(chunk.count), position)
            if code == SQLITE_OK { try copy.write(contentsOf: chunk) }
            position += Int64(chunk.count)
        }
        if code != SQLITE_OK { throw SQLiteError(code: code, handle: nil, file: file) }
        if fsync(target) != 0 { throw Self.systemError(path) }
        // SQLite has no locks on the log itself.
        if let log = try? Data(contentsOf: URL(filePath: file + "-wal")) {
            let target = Foundation.open(path + "-wal", O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if target < 0 { throw Self.systemError(path) }
            try FileHandle(fileDescriptor: target, closeOnDealloc: true).write(contentsOf: log)
        }
    }
}
