import Foundation

/// Reads pieces one after the other, a file never more than a little at a time.
struct PieceReader {
    private var pieces: ArraySlice<EncodedBody.Piece>
    private var position = 0
    private var handle: FileHandle?

    init(_ pieces: [EncodedBody.Piece]) {
        self.pieces = pieces[...]
    }

    /// The next bytes, at most so many; nil at the end.
    ///
    /// - Throws: when a file cannot be read, or is shorter or longer than it was.
    mutating func next(upTo limit: Int) throws(NetworkError.InvalidRequest) -> Data? {
        while let piece = pieces.first {
            let count = min(limit, piece.length - position)
            if count > 0 {
                let data =
                    switch piece {
                    case .data(let data): data.dropFirst(position).prefix(count)
                    case .file(let file): try read(count, of: file)
                    }
                position += data.count
                return data
            }
            if case .file(let file) = piece, file.length == 0, let problem = file.problem { throw problem }
            pieces.removeFirst()
            position = 0
            handle = nil
        }
        return nil
    }

    private mutating func read(_ count: Int, of file: EncodedBody.File) throws(NetworkError.InvalidRequest) -> Data {
        let data: Data?
        let rest: Data?
        do {
            let handle = try handle ?? FileHandle(forReadingFrom: file.url)
            self.handle = handle
            data = try handle.read(upToCount: count)
            // Before the last bytes are given away, as a server would take the body for whole then.
            let isEnd = position + (data?.count ?? 0) == file.length
            rest = isEnd ? try handle.read(upToCount: 1) : nil
        } catch {
            throw NetworkError.InvalidRequest(
                member: .body, reason: "the file \(file.url.lastPathComponent) cannot be read", cause: error)
        }
        guard let data, !data.isEmpty, rest?.isEmpty ?? true else { throw file.changed }
        return data
    }
}
