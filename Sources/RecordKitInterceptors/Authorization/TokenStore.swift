public import Foundation
import Synchronization

/// A place to store a token between two launches of an app.
///
/// Use ``MemoryTokenStore``, ``FileTokenStore`` or, on Apple's platforms, `KeychainTokenStore`, or write
/// a store of your own.
public protocol TokenStore: Sendable {
    /// Returns the stored token, or `nil` if there is none.
    ///
    /// Returning `nil` after a token was stored means that another process signed out. Never return `nil` during a
    /// save.
    func load() async throws -> TokenSet?
    /// Stores a token, or removes the stored token.
    ///
    /// - Parameter token: The token, or `nil` to remove the stored token.
    func save(_ token: TokenSet?) async throws
    /// Stores a refreshed token in place of the stored one, unless that was removed: another process signed out.
    ///
    /// A sign-out doesn't wait for the lock, so this has to be one step for a store that several processes share.
    /// Default: loads the stored token, then saves.
    ///
    /// - Parameter token: The refreshed token.
    /// - Returns: Whether the token was stored.
    func replace(with token: TokenSet) async throws -> Bool
    /// Performs work while no other process that uses this store refreshes the token or signs in.
    ///
    /// ``TokenSource`` loads the token, refreshes it and replaces it within `work`, and stores the token of a sign-in
    /// within it. It removes a token without it, since a sign-out must not wait for a refresh.
    ///
    /// A store that several processes share has to make them wait for each other here. Otherwise two of them may use
    /// the same refresh token, and a server that detects this ends the sign-in (RFC 9700 section 4.14.2). Default:
    /// performs the work at once.
    ///
    /// - Parameter work: The work. It calls ``load()``, ``save(_:)`` and ``replace(with:)`` of this store.
    /// - Throws: The error of the work, or an error if the store can't be locked in time.
    func withLock<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value
}

extension TokenStore {
    /// Saves the token if the store has one, for a store that isn't shared with other processes.
    public func replace(with token: TokenSet) async throws -> Bool {
        guard try await load() != nil else { return false }
        try await save(token)
        return true
    }

    /// Performs the work at once, for a store that isn't shared with other processes.
    public func withLock<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        try await work()
    }
}

/// A store that keeps a token in memory until the process exits.
public final class MemoryTokenStore: TokenStore {
    private let token: Mutex<TokenSet?>

    /// Creates a store.
    ///
    /// - Parameter token: The token to start with.
    public init(_ token: TokenSet? = nil) {
        self.token = Mutex(token)
    }

    /// Returns the stored token, or `nil` if there is none.
    public func load() -> TokenSet? {
        token.withLock { $0 }
    }

    /// Stores a token, or removes the stored token.
    ///
    /// - Parameter token: The token, or `nil` to remove the stored token.
    public func save(_ token: TokenSet?) {
        self.token.withLock { $0 = token }
    }

    /// Stores a refreshed token, unless the stored one was removed.
    ///
    /// - Parameter token: The refreshed token.
    /// - Returns: Whether the token was stored.
    public func replace(with token: TokenSet) -> Bool {
        self.token.withLock { stored in
            if stored == nil { return false }
            stored = token
            return true
        }
    }
}

/// A store that keeps a token in a file that only its owner can read and write.
///
/// Writes a temporary file with mode 0600 and renames it, so that the file is always complete. A file that other users
/// can read, or that belongs to another user, is an error: its token may be known to them, or planted by them.
///
/// Several processes can share the file. They take turns to refresh the token, by a lock on a file beside it, with
/// `.lock` after its name. A sign-out removes the file at once, and the temporary files of processes that were ended
/// while they saved.
public struct FileTokenStore: TokenStore {
    private let path: String

    /// Creates a store.
    ///
    /// - Parameter file: The URL of the file. Its folder is created if it is missing, with access for its owner only.
    public init(_ file: URL) {
        path = file.path(percentEncoded: false)
    }

    /// Returns the token in the file, or `nil` if there is no file.
    ///
    /// - Throws: `TokenFileError` if the file can't be read, or isn't safe.
    public func load() throws(TokenFileError) -> TokenSet? {
        // `O_NONBLOCK` keeps `open` from waiting for a writer if the file is a pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw failure("it can't be opened: \(TokenFileError.lastError)")
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw failure("its attributes can't be read: \(TokenFileError.lastError)")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw failure("it isn't a regular file; remove it and sign in again")
        }
        guard status.st_uid == geteuid() else {
            throw failure("it belongs to another user; remove it and sign in again")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw failure("other users can read or write it; run: chmod 600 \(path)")
        }
        guard status.st_size <= 1 << 20 else { throw failure("it is larger than 1 MB; remove it and sign in again") }
        let bytes = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        guard let data = try? bytes.readToEnd(), let token = try? JSONDecoder().decode(TokenSet.self, from: data)
        else {
            throw failure("it doesn't contain a token; remove it and sign in again")
        }
        return token
    }

    /// Writes a token to the file, or removes the file.
    ///
    /// - Parameter token: The token, or `nil` to remove the file.
    /// - Throws: `TokenFileError` if the file can't be written or removed.
    public func save(_ token: TokenSet?) throws(TokenFileError) {
        guard let token else { return try remove() }
        try makeFolder()
        // A sign-out of another process may remove the temporary file. This token is a later one.
        while try !write(token, onlyIfPresent: false) {}
    }

    /// Writes a refreshed token to the file, unless the file was removed.
    ///
    /// - Parameter token: The refreshed token.
    /// - Returns: Whether the token was written.
    /// - Throws: `TokenFileError` if the file can't be written.
    public func replace(with token: TokenSet) throws(TokenFileError) -> Bool {
        try write(token, onlyIfPresent: true)
    }

    /// Performs work while it holds the lock of the file (`flock`). Other processes, and other sources of this process,
    /// wait.
    ///
    /// Performs the work without a lock in a folder where no lock file can be created. The token can't be saved there
    /// either.
    ///
    /// - Parameter work: The work.
    /// - Throws: The error of the work. `TokenFileError` if another process has held the lock for two minutes, the file
    ///   system has no locks, or something that isn't a file of this user is in the lock file's place.
    public func withLock<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        try? makeFolder()
        // The file stays: a process that removed it would unlock another one.
        let lock = path + ".lock"
        let descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        var status = stat()
        guard descriptor >= 0 else {
            let problem = TokenFileError.lastError
            if lstat(lock, &status) != 0 { return try await work() }
            throw failure("its lock file can't be opened: \(problem); remove \(lock)")
        }
        defer { _ = close(descriptor) }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure("its lock file isn't a regular file; remove \(lock)")
        }
        let end = ContinuousClock.now + .seconds(120)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw failure("it can't be locked: \(TokenFileError.lastError)")
            }
            guard ContinuousClock.now < end else {
                throw failure("another process has locked it for two minutes; end that process")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        return try await work()
    }

    private func makeFolder() throws(TokenFileError) {
        let folder = URL(filePath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw failure("its folder can't be created: \(error.localizedDescription)")
        }
    }

    /// Removes the file, and the temporary files of processes that are saving, or that were ended while they saved.
    ///
    /// Needs no lock. A refresh that begins to save after the first step finds no file. The second step prevents one
    /// that has begun from renaming its temporary file. The third removes a file that was renamed just before.
    private func remove() throws(TokenFileError) {
        try unlinkFile()
        let url = URL(filePath: path)
        let folder = url.deletingLastPathComponent().path(percentEncoded: false)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix(url.lastPathComponent + Self.temporary) { unlink("\(folder)/\(name)") }
        try unlinkFile()
    }

    private func unlinkFile() throws(TokenFileError) {
        if unlink(path) != 0, ![ENOENT, ENOTDIR].contains(errno) {
            throw failure("it can't be removed: \(TokenFileError.lastError)")
        }
    }

    /// The start of what follows the name of the file in the names of its temporary files.
    private static let temporary = ".saving-"

    /// Writes a temporary file and renames it.
    ///
    /// - Parameter onlyIfPresent: Whether the file has to exist.
    /// - Returns: `false` if the file doesn't exist, or a sign-out has removed the temporary file.
    private func write(_ token: TokenSet, onlyIfPresent: Bool) throws(TokenFileError) -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(token) else { throw failure("the token can't be encoded as JSON") }
        // `mkstemp` creates the file with mode 0600, so other users can't read it at any moment.
        var aside = Array((path + Self.temporary + "XXXXXX").utf8CString)
        let descriptor = mkstemp(&aside)
        guard descriptor >= 0 else { throw failure("it can't be written: \(TokenFileError.lastError)") }
        defer { unlink(aside) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        let isWritten = (try? file.write(contentsOf: data)) != nil && fsync(descriptor) == 0
        let problem = TokenFileError.lastError
        guard close(descriptor) == 0, isWritten else { throw failure("it can't be written: \(problem)") }
        var status = stat()
        if onlyIfPresent, lstat(path, &status) != 0 { return false }
        if rename(aside, path) == 0 { return true }
        if errno == ENOENT { return false }
        throw failure("it can't be replaced: \(TokenFileError.lastError)")
    }

    private func failure(_ reason: String) -> TokenFileError {
        TokenFileError(path: path, reason: reason)
    }
}

/// An error that occurs when a token can't be read from a file or written to it.
public struct TokenFileError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The path of the file.
    public let path: String
    /// What is wrong and what to do, as part of a sentence.
    public let reason: String

    /// A message that names the file, the problem and the remedy.
    public var description: String { "The sign-in file \(path) can't be used: \(reason)." }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    fileprivate static var lastError: String { String(cString: strerror(errno)) }
}
