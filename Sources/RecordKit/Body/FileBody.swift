public import Foundation

/// A body that is the content of a file.
///
/// The file is read while it is sent, so it needs little memory. Its length is sent in `Content-Length`, and the body
/// can be sent again.
///
/// Building the request throws an error if the file doesn't exist or is not a regular file. The call fails with
/// ``NetworkError/invalidRequest(_:)`` if the length of the file changes afterwards.
public struct FileBody: NetworkEncodable, Sendable, Equatable {
    let file: URL
    let contentType: String

    /// Creates a body from a file.
    ///
    /// - Parameters:
    ///   - file: The file URL of a regular file.
    ///   - contentType: The value of `Content-Type`.
    public init(_ file: URL, contentType: String = "application/octet-stream") {
        self.file = file
        self.contentType = contentType
    }

    /// Returns the file as a body.
    ///
    /// - Throws: ``NetworkError/InvalidRequest`` if the file is not a readable, regular file.
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        EncodedBody(.pieces([.file(try EncodedBody.File(file))]), contentType: contentType)
    }
}

extension EncodedBody {
    /// A file that is a body or a part of a body.
    public struct File: Sendable {
        /// The URL of the file.
        public let url: URL
        /// The length of the file in bytes.
        ///
        /// `Content-Length` announces it. So the call fails if the length changes while the file is sent.
        public let length: Int
        /// The owner of a temporary file. Releasing it deletes the file.
        private let owner: TemporaryFile?

        /// Creates a body from a file.
        ///
        /// - Parameter url: The file URL of a regular file.
        /// - Throws: ``NetworkError/InvalidRequest`` with the member `body` if `url` is not a readable, regular file.
        public init(_ url: URL) throws(NetworkError.InvalidRequest) {
            self.url = url
            length = try Self.length(of: url)
            owner = nil
        }

        /// Creates a body from a temporary file, which is deleted with the last copy of the body.
        init(_ file: TemporaryFile) throws(NetworkError.InvalidRequest) {
            url = file.url
            length = try Self.length(of: file.url)
            owner = file
        }

        /// Creates a temporary file that contains the pieces.
        init(joining pieces: [Piece]) throws(NetworkError.InvalidRequest) {
            let file = try TemporaryFile()
            var reader = PieceReader(pieces)
            while let data = try reader.next(upTo: 1 << 20) { try file.write(data) }
            try self.init(file)
        }

        /// The error if the file cannot be read any more or has another length, otherwise `nil`.
        var change: NetworkError.InvalidRequest? {
            do throws(NetworkError.InvalidRequest) {
                return try Self.length(of: url) == length ? nil : changed
            } catch {
                return error
            }
        }

        /// The error for a file whose length changed.
        var changed: NetworkError.InvalidRequest {
            .invalid(.body, "the file \(url.lastPathComponent) changed while it was being sent")
        }

        /// Returns the length of a file in bytes.
        ///
        /// - Throws: `InvalidRequest` if it is not a readable, regular file.
        private static func length(of url: URL) throws(NetworkError.InvalidRequest) -> Int {
            func failure(_ reason: String, _ cause: (any Error)? = nil) -> NetworkError.InvalidRequest {
                .invalid(.body, "\"\(url.path)\" \(reason)", cause: cause)
            }
            guard url.isFileURL else {
                throw .invalid(.body, "its URL is not a file URL; it begins with \(url.scheme ?? "no scheme")")
            }
            let path = url.resolvingSymlinksInPath().path
            let attributes: [FileAttributeKey: Any]
            do {
                attributes = try FileManager.default.attributesOfItem(atPath: path)
            } catch {
                throw failure("does not exist or cannot be accessed", error)
            }
            guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber
            else {
                throw failure("is not a regular file")
            }
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw failure("cannot be read; check its permissions")
            }
            // A file in /proc reports the size 0.
            if size == 0, let first = try? FileHandle(forReadingFrom: url).read(upToCount: 1), !first.isEmpty {
                throw failure("reports no length; send its content as `Data` or as a stream")
            }
            return size.intValue
        }
    }
}

/// A temporary file that only the current user can read. Releasing this object deletes it.
final class TemporaryFile: Sendable {
    let url: URL
    private let handle: FileHandle

    /// Creates an empty file.
    ///
    /// - Throws: `InvalidRequest` if the file cannot be created.
    init() throws(NetworkError.InvalidRequest) {
        url = FileManager.default.temporaryDirectory.appending(path: "RecordKit-\(UUID().uuidString)")
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let cause = POSIXErrorCode(rawValue: errno).map { POSIXError($0) }
            throw .invalid(
                .body, "no temporary file can be created in \(url.deletingLastPathComponent().path)", cause: cause)
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Appends bytes.
    ///
    /// - Throws: `InvalidRequest` if the file cannot be written.
    func write(_ data: some DataProtocol) throws(NetworkError.InvalidRequest) {
        do {
            try handle.write(contentsOf: data)
        } catch {
            throw .invalid(.body, "the temporary file cannot be written; check the free space", cause: error)
        }
    }
}
