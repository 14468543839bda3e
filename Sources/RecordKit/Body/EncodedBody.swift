public import Foundation

/// The encoded body of a request, with its content type.
public struct EncodedBody: Sendable {
    /// The source of the bytes. There will be no other cases.
    public enum Content: Sendable {
        /// Bytes in memory.
        case data(Data)
        /// A sequence of files, streams and bytes in memory. A transport reads the files while it sends them.
        case pieces([Piece])
    }

    /// A part of a body.
    @nonexhaustive
    public enum Piece: Sendable {
        /// Bytes in memory.
        case data(Data)
        /// A file.
        case file(File)
        /// A stream. Only a transport that supports live bodies gets one; see ``TransportTraits/sendsLiveBodies``.
        case stream(StreamBody)

        /// The length in bytes, or `nil` for a stream.
        var length: Int? {
            switch self {
            case .data(let data): data.count
            case .file(let file): file.length
            case .stream: nil
            }
        }
    }

    /// The source of the bytes.
    public var content: Content
    /// The value of `Content-Type`, unless the request sets that header field.
    public var contentType: String
    /// Whether a retry or a redirect may send the body again. Never true once reading its stream has failed.
    public var canBeSentAgain: Bool {
        get { isRepeatable && !streams.contains { $0.cannotBeRead } }
        set { isRepeatable = newValue }
    }
    private var isRepeatable: Bool
    /// The lowercased names of fields that are sensitive in addition to the well-known ones.
    var sensitiveNames: Set<String> = []

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - content: The source of the bytes.
    ///   - contentType: The value of `Content-Type`.
    ///   - canBeSentAgain: Whether a retry or a redirect may send the body again. A live stream can't be.
    public init(_ content: Content, contentType: String = "application/octet-stream", canBeSentAgain: Bool = true) {
        self.content = content
        self.contentType = contentType
        isRepeatable = canBeSentAgain
        if isLive { isRepeatable = false }
    }

    /// Creates a body from bytes in memory.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - contentType: The value of `Content-Type`.
    public init(_ data: Data, contentType: String = "application/octet-stream") {
        self.init(.data(data), contentType: contentType)
    }

    /// The length in bytes, or `nil` for a stream.
    public var length: Int? {
        switch content {
        case .data(let data): data.count
        case .pieces(let pieces):
            pieces.reduce(0) { sum, piece in piece.length.flatMap { length in sum.map { $0 + length } } }
        }
    }
}

extension EncodedBody {
    /// Returns this body with its streams read into temporary files. Returns any other body unchanged.
    ///
    /// The files are deleted with the last copy of the body.
    ///
    /// - Returns: A body that is data or pieces.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the stream fails or has failed before, or if another call is
    ///   reading it, or if it may only be sent while it is made. ``NetworkError/cancelled`` if the task is cancelled.
    public func spooled() async throws(NetworkError) -> EncodedBody {
        try await spooled(onChunk: {})
    }

    /// Reads the streams as ``spooled()`` does, and calls a function after each chunk.
    func spooled(onChunk: @escaping @Sendable () -> Void) async throws(NetworkError) -> EncodedBody {
        guard case .pieces(var pieces) = content, length == nil else { return self }
        var body = self
        do throws(NetworkError.InvalidRequest) {
            for index in pieces.indices {
                guard case .stream(let stream) = pieces[index] else { continue }
                pieces[index] = .file(try await stream.file(onChunk: onChunk))
                if stream.isLive { body.canBeSentAgain = true }
            }
        } catch {
            throw Self.failure(error)
        }
        body.content = .pieces(pieces)
        return body
    }

    /// Returns the whole body in memory. For tests, and for transports without a connection.
    ///
    /// - Throws: The errors of ``spooled()``, and ``NetworkError/invalidRequest(_:)`` if a file cannot be read.
    public func data() async throws(NetworkError) -> Data {
        var reader = Reader(try await spooled())
        var data = Data()
        while let more = try await reader.next(upTo: 1 << 20) { data.append(more) }
        return data
    }

    /// Returns the error for a body that could not be read, which is `.cancelled` if the task was cancelled.
    private static func failure(_ error: NetworkError.InvalidRequest) -> NetworkError {
        Task.isCancelled ? .cancelled : .invalidRequest(error)
    }

    /// The parts of the body that are streams.
    private var streams: [StreamBody] {
        guard case .pieces(let pieces) = content else { return [] }
        return pieces.compactMap { piece in if case .stream(let stream) = piece { stream } else { nil } }
    }

    /// Whether a part of the body is a stream that is sent while it is made, if the transport supports that.
    public var isLive: Bool { streams.contains { $0.isLive } }

    /// Whether fields are sent after the body. See `Reader.trailers`.
    public var hasTrailers: Bool { streams.contains { $0.hasTrailers } }

    /// The error if a file has changed since the body was encoded, otherwise `nil`.
    var change: NetworkError.InvalidRequest? {
        guard case .pieces(let pieces) = content else { return nil }
        for case .file(let file) in pieces {
            if let change = file.change { return change }
        }
        return nil
    }
}

extension EncodedBody {
    /// Reads the bytes of a body in order, for a transport.
    public struct Reader: Sendable {
        private var pieces: ArraySlice<Piece>
        private var current: PieceReader?
        private var stream: NetworkBytes?
        /// The fields to send after the body (RFC 9110 section 6.5), once it has been read. They are valid.
        public private(set) var trailers = HTTPHeaders()

        /// Creates a reader.
        ///
        /// - Parameter body: The body.
        public init(_ body: EncodedBody) {
            switch body.content {
            case .data(let data): pieces = [.data(data)]
            case .pieces(let list): pieces = list[...]
            }
        }

        /// Returns the next bytes, or `nil` at the end of the body. Waits for those of a live stream.
        ///
        /// - Parameter limit: The maximum number of bytes. A chunk of a live stream may be longer.
        /// - Throws: ``NetworkError/invalidRequest(_:)`` if a file or a stream can't be read, and
        ///   ``NetworkError/cancelled`` if the task is cancelled.
        public mutating func next(upTo limit: Int = 1 << 16) async throws(NetworkError) -> Data? {
            while true {
                if let chunk = try await nextOfPiece(upTo: limit) { return chunk }
                guard let piece = pieces.popFirst() else { return nil }
                do throws(NetworkError.InvalidRequest) {
                    switch piece {
                    case .stream(let body) where body.isLive: stream = try body.chunks()
                    case .stream(let body): current = PieceReader([.file(try await body.file())])
                    case .data, .file: current = PieceReader([piece])
                    }
                } catch {
                    throw EncodedBody.failure(error)
                }
            }
        }

        private mutating func nextOfPiece(upTo limit: Int) async throws(NetworkError) -> Data? {
            var chunks = stream?.makeAsyncIterator()
            if let chunk = try await chunks?.next() { return chunk }
            if let ended = stream.take() { trailers.merge(ended.trailers) }
            do throws(NetworkError.InvalidRequest) {
                return try current?.next(upTo: limit)
            } catch {
                throw EncodedBody.failure(error)
            }
        }
    }
}

/// Reads data and files in order, and files in small amounts.
struct PieceReader {
    private var pieces: ArraySlice<EncodedBody.Piece>
    private var position = 0
    private var handle: FileHandle?

    init(_ pieces: [EncodedBody.Piece]) {
        self.pieces = pieces[...]
    }

    /// Returns the next bytes, or `nil` at the end.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Throws: `InvalidRequest` if a file cannot be read, or if its length changed.
    mutating func next(upTo limit: Int) throws(NetworkError.InvalidRequest) -> Data? {
        while let piece = pieces.first {
            let count = min(limit, (piece.length ?? 0) - position)
            if count > 0 {
                let data =
                    switch piece {
                    case .data(let data): data.dropFirst(position).prefix(count)
                    case .file(let file): try read(count, of: file)
                    case .stream: Data()
                    }
                position += data.count
                return data
            }
            if case .file(let file) = piece, file.length == 0, let change = file.change { throw change }
            pieces.removeFirst()
            position = 0
            handle = nil
        }
        return nil
    }

    /// Reads the next bytes of a file.
    private mutating func read(_ count: Int, of file: EncodedBody.File) throws(NetworkError.InvalidRequest) -> Data {
        let data: Data?
        let rest: Data?
        do {
            let handle = try handle ?? FileHandle(forReadingFrom: file.url)
            self.handle = handle
            data = try handle.read(upToCount: count)
            // Checks for a longer file before returning the last bytes: with them, the server has a complete body.
            let isEnd = position + (data?.count ?? 0) == file.length
            rest = isEnd ? try handle.read(upToCount: 1) : nil
        } catch {
            throw .invalid(.body, "the file \(file.url.lastPathComponent) cannot be read", cause: error)
        }
        guard let data, !data.isEmpty, rest?.isEmpty ?? true else { throw file.changed }
        return data
    }
}
