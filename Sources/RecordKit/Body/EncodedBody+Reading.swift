public import Foundation

extension EncodedBody {
    /// This body with a stream read into a temporary file, which goes when nothing refers to it any more. Any other
    /// body as it is.
    ///
    /// - Throws: ``InvalidRequest`` for ``InvalidRequest/Member/body``, when the stream fails or is cancelled, now or
    ///   when it was read before, or is being read by another call.
    public func spooled() async throws(InvalidRequest) -> EncodedBody {
        guard case .stream(let stream) = content else { return self }
        var body = self
        body.content = .pieces([.file(try await stream.file())])
        return body
    }

    /// The whole body in memory: for a transport in the process, or a test.
    ///
    /// - Throws: as ``spooled()``, and when a file cannot be read.
    public func data() async throws(InvalidRequest) -> Data {
        switch try await spooled().content {
        case .data(let data): return data
        case .pieces(let pieces):
            var reader = PieceReader(pieces)
            var data = Data()
            while let more = try reader.next(upTo: 1 << 20) { data.append(more) }
            return data
        case .stream: return Data()
        }
    }

    /// Whether not all of it is in memory.
    var isToBeRead: Bool {
        if case .data = content { false } else { true }
    }

    /// Why the body cannot be sent any more as it was encoded; nil when it can.
    var problem: InvalidRequest? {
        guard case .pieces(let pieces) = content else { return nil }
        for case .file(let file) in pieces {
            if let problem = file.problem { return problem }
        }
        return nil
    }
}
