public import Foundation
import Synchronization

/// Where a token is kept between two runs of an app.
///
/// ``MemoryCredentialStore``, ``FileCredentialStore``, and on Apple's systems `KeychainCredentialStore` are given.
public protocol CredentialStore: Sendable {
    /// The token that is kept; nil when there is none. Nil where a token was before counts as a sign-out by another
    /// process, so it must not be given while a save is under way.
    func load() async throws -> Token?
    /// Nil forgets what is kept.
    func save(_ token: Token?) async throws
}

/// Keeps a token as long as the process lives.
public final class MemoryCredentialStore: CredentialStore {
    private let token: Mutex<Token?>

    public init(_ token: Token? = nil) {
        self.token = Mutex(token)
    }

    public func load() -> Token? {
        token.withLock { $0 }
    }

    public func save(_ token: Token?) {
        self.token.withLock { $0 = token }
    }
}

/// Keeps a token in a file that its owner alone may read and write.
///
/// The file is written aside, with mode 0600, and renamed, so that it is always whole. One that others may read, or
/// that belongs to another user, is refused, since what is in it may be known or planted.
public struct FileCredentialStore: CredentialStore {
    private let path: String

    /// - Parameter file: the folder it lies in is made when it is missing, open to its owner alone.
    public init(_ file: URL) {
        path = file.path(percentEncoded: false)
    }

    public func load() throws(CredentialFileError) -> Token? {
        // Without waiting for somebody to write, should it be a pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw failure("it cannot be opened: \(CredentialFileError.lastError)")
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw failure("it cannot be looked at: \(CredentialFileError.lastError)")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure("it is no plain file") }
        guard status.st_uid == geteuid() else { throw failure("it belongs to another user") }
        guard status.st_mode & 0o077 == 0 else {
            throw failure("others may read or write it; type: chmod 600 \(path)")
        }
        guard status.st_size <= 1 << 20 else { throw failure("it is larger than a megabyte") }
        let bytes = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        guard let data = try? bytes.readToEnd(), let token = try? JSONDecoder().decode(Token.self, from: data) else {
            throw failure("it holds no token; remove it and sign in again")
        }
        return token
    }

    public func save(_ token: Token?) throws(CredentialFileError) {
        guard let token else {
            if unlink(path) != 0, errno != ENOENT {
                throw failure("it cannot be removed: \(CredentialFileError.lastError)")
            }
            return
        }
        try makeFolder()
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(token) else { throw failure("the token cannot be written as JSON") }
        try write(data)
    }

    private func makeFolder() throws(CredentialFileError) {
        let folder = URL(filePath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw failure("its folder cannot be made: \(error.localizedDescription)")
        }
    }

    private func write(_ data: Data) throws(CredentialFileError) {
        // Opened with mode 0600 by mkstemp itself: there is no moment at which others may read it.
        var aside = Array((path + ".XXXXXX").utf8CString)
        let descriptor = mkstemp(&aside)
        guard descriptor >= 0 else { throw failure("it cannot be written: \(CredentialFileError.lastError)") }
        defer { unlink(aside) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        let isWritten = (try? file.write(contentsOf: data)) != nil && fsync(descriptor) == 0
        let problem = CredentialFileError.lastError
        guard close(descriptor) == 0, isWritten else { throw failure("it cannot be written: \(problem)") }
        guard rename(aside, path) == 0 else {
            throw failure("it cannot be replaced: \(CredentialFileError.lastError)")
        }
    }

    private func failure(_ reason: String) -> CredentialFileError {
        CredentialFileError(path: path, reason: reason)
    }
}

/// A file that a token cannot be read from or written to.
public struct CredentialFileError: Error, Sendable, Hashable, CustomStringConvertible {
    public let path: String
    /// What is wrong and what to do, as part of a sentence.
    public let reason: String

    public var description: String { "The sign-in file \(path) cannot be used: \(reason)." }

    fileprivate static var lastError: String { String(cString: strerror(errno)) }
}
