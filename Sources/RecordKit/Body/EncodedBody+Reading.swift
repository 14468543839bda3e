public import Foundation

extension EncodedBody {
    /// Returns this body with its stream read into a temporary file, which is deleted with the last copy of the body. Any
    /// other body is returned as it is.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the stream fails or has failed before, or if another call reads it;
    ///   ``NetworkError/cancelled`` if the task is cancelled.
    public func spooled() async throws(NetworkError) -> EncodedBody {
        guard case .stream(let stream) = content else { return self }
        var body = self
        do throws(NetworkError.InvalidRequest) {
            body.content = .pieces([.file(try await stream.file())])
        } catch {
            throw Self.failure(error)
        }
        return body
    }

    /// Returns the whole body in memory, for a transport in the process or a test.
    ///
    /// - Throws: As ``spooled()``, and if a file cannot be read.
    public func data() async throws(NetworkError) -> Data {
        switch try await spooled().content {
        case .data(let data): return data
        case .pieces(let pieces):
            var reader = PieceReader(pieces)
            var data = Data()
            do throws(NetworkError.InvalidRequest) {
                while let more = try reader.next(upTo: 1 << 20) { data.append(more) }
            } catch {
                throw Self.failure(error)
            }
            return data
        case .stream: return Data()
        }
    }

    /// Cancelling a call ends the reading of its body, too.
    private static func failure(_ error: NetworkError.InvalidRequest) -> NetworkError {
        Task.isCancelled ? .cancelled : .invalidRequest(error)
    }

    /// Whether not all of it is in memory.
    var isToBeRead: Bool {
        if case .data = content { false } else { true }
    }

    /// Why the body cannot be sent any more as it was encoded; nil when it can.
    var problem: NetworkError.InvalidRequest? {
        guard case .pieces(let pieces) = content else { return nil }
        for case .file(let file) in pieces {
            if let problem = file.problem { return problem }
        }
        return nil
    }
}
