public import Foundation

extension EncodedBody {
    /// A file that is a body, or a part of one: where it is and how long it was found to be.
    public struct File: Sendable {
        public let url: URL
        /// In bytes. It is announced in `Content-Length`, so a file that changes its length while it is sent is an error.
        public let length: Int
        /// What deletes the file, when it is a temporary one.
        private let owner: TemporaryFile?

        /// - Throws: ``NetworkError/InvalidRequest`` for ``NetworkError/InvalidRequest/Member/body``, when there is no regular file that can be read.
        public init(_ url: URL) throws(NetworkError.InvalidRequest) {
            self.url = url
            length = try Self.length(of: url)
            owner = nil
        }

        init(_ file: TemporaryFile) throws(NetworkError.InvalidRequest) {
            url = file.url
            length = try Self.length(of: file.url)
            owner = file
        }

        /// A temporary file with the pieces in it.
        init(joining pieces: [Piece]) throws(NetworkError.InvalidRequest) {
            let file = try TemporaryFile()
            var reader = PieceReader(pieces)
            while let data = try reader.next(upTo: 1 << 20) { try file.write(data) }
            try self.init(file)
        }

        /// Why the file is no longer what it was; nil when it is.
        var problem: NetworkError.InvalidRequest? {
            do throws(NetworkError.InvalidRequest) {
                return try Self.length(of: url) == length ? nil : changed
            } catch {
                return error
            }
        }

        var changed: NetworkError.InvalidRequest {
            NetworkError.InvalidRequest(
                member: .body, reason: "the file \(url.lastPathComponent) changed while it was being sent")
        }

        private static func length(of url: URL) throws(NetworkError.InvalidRequest) -> Int {
            func problem(_ reason: String, _ cause: (any Error)? = nil) -> NetworkError.InvalidRequest {
                NetworkError.InvalidRequest(member: .body, reason: "\"\(url.path)\" \(reason)", cause: cause)
            }
            guard url.isFileURL else {
                throw NetworkError.InvalidRequest(
                    member: .body, reason: "its URL is no file's; it begins with \(url.scheme ?? "no scheme")")
            }
            let path = url.resolvingSymlinksInPath().path
            let attributes: [FileAttributeKey: Any]
            do {
                attributes = try FileManager.default.attributesOfItem(atPath: path)
            } catch {
                throw problem("does not exist, or cannot be looked at", error)
            }
            guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber
            else {
                throw problem("is no regular file")
            }
            guard FileManager.default.isReadableFile(atPath: path) else { throw problem("may not be read") }
            // Those in /proc are empty until they are read.
            if size == 0, let first = try? FileHandle(forReadingFrom: url).read(upToCount: 1), !first.isEmpty {
                throw problem("does not tell its length; read it, or send it as a stream")
            }
            return size.intValue
        }
    }
}
