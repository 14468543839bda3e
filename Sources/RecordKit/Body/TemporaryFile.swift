import Foundation

/// A new file that only this user may read, and that goes with this object.
final class TemporaryFile: Sendable {
    let url: URL
    private let handle: FileHandle

    init() throws(NetworkError.InvalidRequest) {
        url = FileManager.default.temporaryDirectory.appending(path: "RecordKit-\(UUID().uuidString)")
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let cause = POSIXErrorCode(rawValue: errno).map { POSIXError($0) }
            throw NetworkError.InvalidRequest(
                member: .body, reason: "no temporary file can be made in \(url.deletingLastPathComponent().path)",
                cause: cause)
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func write(_ data: some DataProtocol) throws(NetworkError.InvalidRequest) {
        do {
            try handle.write(contentsOf: data)
        } catch {
            throw NetworkError.InvalidRequest(
                member: .body, reason: "the temporary file cannot be written", cause: error)
        }
    }
}
