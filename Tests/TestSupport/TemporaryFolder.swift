public import Foundation

/// A folder for one test, which is removed with this object.
public final class TemporaryFolder: Sendable {
    public let url: URL

    /// - Parameter parent: The folder in which it is made. Default: that of the system for temporary files.
    public init(in parent: URL? = nil) throws {
        url = (parent ?? FileManager.default.temporaryDirectory).appending(path: "RecordKitTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    public func file(_ name: String = "file", _ bytes: Data = Data()) throws -> URL {
        let file = url.appending(path: name)
        try bytes.write(to: file)
        return file
    }

    public func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url.appending(path: name))
    }

    public func text(of name: String) throws -> String {
        try String(contentsOf: url.appending(path: name), encoding: .utf8)
    }

    /// Returns when a file contains a string.
    public func waits(for text: String, in name: String) async throws {
        await until { (try? self.text(of: name).contains(text)) ?? true }
        _ = try self.text(of: name)
    }
}
