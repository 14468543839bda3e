import Foundation

/// The place of a stock, and what can be done there.
enum StockPlace: Equatable, Sendable {
    /// An embedded store in a file.
    case store(path: String)
    /// A Kinto server: scheme, host, port and base path, without a slash at the end.
    case server(String)

    /// The path or the address.
    var name: String {
        switch self {
        case .store(let name), .server(let name): name
        }
    }

    /// The file of the store, or `nil` for a server.
    var file: URL? { if case .store(let path) = self { URL(storePath: path) } else { nil } }
    /// Whether the file of the store does not exist. A server is never missing.
    var isMissing: Bool { file.map { !StoreFile.exists($0) } ?? false }
    /// Whether it is a store: it has an index of words, is read at once, checks itself, holds all
    /// shops, and loses no response to a change.
    var isStore: Bool { file != nil }
}

extension StockPlace {
    /// Throws if a path is the store, or a file that SQLite keeps beside it. These hold its latest changes. SQLite
    /// deletes any file in the place of its journal.
    func checkTarget(_ path: String, of command: String) throws {
        // SQLite keeps them beside the target of a link, and names them after the target.
        guard let file = file?.resolvingSymlinksInPath().path(percentEncoded: false) else { return }
        for suffix in ["", "-wal", "-shm", "-journal"]
        where ReplacementFile.isSame(path, as: URL(filePath: file + suffix)) {
            let what = suffix.isEmpty ? "is" : "belongs to"
            throw CommandFailure(.usage, "\(path) \(what) the store itself; \(command) to another file")
        }
    }
}
