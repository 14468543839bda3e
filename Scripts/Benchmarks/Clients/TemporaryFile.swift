import Foundation

/// A file of zeros that takes no space, and is removed with this value.
final class TemporaryFile: Sendable {
    let url: URL

    init(length: Int) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID().uuidString)")
        try Data().write(to: url)
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: UInt64(length))
        try handle.close()
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
