import Foundation

/// A folder for one test, which is removed with this object.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "RecordKitTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String = "file", _ bytes: Data = Data()) throws -> URL {
        let file = url.appending(path: name)
        try bytes.write(to: file)
        return file
    }
}
