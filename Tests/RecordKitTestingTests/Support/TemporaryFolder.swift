import TestSupport
import Foundation

/// A temporary folder, which is removed when the object is released.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "RecordKitTestingTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url.appending(path: name))
    }

    func text(of name: String) throws -> String {
        try String(contentsOf: url.appending(path: name), encoding: .utf8)
    }

    /// Returns when a file contains a string.
    func waits(for text: String, in name: String) async throws {
        await until { (try? self.text(of: name).contains(text)) ?? true }
        _ = try self.text(of: name)
    }
}
