import Foundation

/// The decoded body of a response: collected up to a limit, or cut into the chunks of a stream.
struct ReceivedBody {
    /// What is done after bytes were added.
    enum Step: Equatable {
        case more
        /// Writes a chunk to the stream: the bytes before those that were added.
        case write(Data)
        /// Ends the transfer: the body exceeds its limit.
        case fail
    }

    private let sizeLimit: Int
    /// The size at which a part of a stream is written.
    private let chunkSize: Int
    /// The number of unread bytes at which the transfer pauses. Another chunk fits into the buffer of the stream.
    private let pauseLimit: Int
    private(set) var isStreamed = false
    /// The whole body, or the part of a stream that isn't written yet.
    private var data = Data()
    /// The number of bytes that were added.
    private(set) var count = 0
    /// The number of bytes that the reader of the stream hasn't taken, after the last write.
    private var unread = 0

    /// Begins an empty body, which is collected.
    ///
    /// - Parameters:
    ///   - sizeLimit: The limit on a body that is collected.
    ///   - bufferLimit: The limit on the unread bytes of a stream.
    init(sizeLimit: Int, bufferLimit: Int) {
        self.sizeLimit = sizeLimit
        chunkSize = min(256 << 10, max(16 << 10, bufferLimit / 4))
        pauseLimit = max(bufferLimit - chunkSize, 0)
    }

    /// Begins a stream.
    mutating func stream() {
        isStreamed = true
    }

    /// Prepares for a body of a length that the head says. Returns false if it exceeds the limit.
    mutating func collect(announced: Int) -> Bool {
        if announced > sizeLimit { return false }
        // Memory that isn't written to costs nothing, whatever the server announces.
        if announced > 1 << 14 { data.reserveCapacity(announced) }
        return true
    }

    /// Adds a part of the body.
    mutating func add(_ bytes: UnsafeRawBufferPointer) -> Step {
        var step = Step.more
        if !isStreamed {
            if bytes.count > sizeLimit - data.count { return .fail }
        } else if data.count + bytes.count > chunkSize {
            if !data.isEmpty { step = .write(take()) }
            // More of the same size is likely to follow.
            data.reserveCapacity(chunkSize)
        }
        count += bytes.count
        data.append(bytes.assumingMemoryBound(to: UInt8.self))
        return step
    }

    /// Takes the whole body, or what isn't written yet of a stream.
    mutating func take() -> Data {
        defer { data = Data() }
        return data
    }

    /// Replaces a body that couldn't be decoded with what has arrived.
    mutating func replace(with data: Data) {
        self.data = data
    }

    /// Notes the number of bytes that the reader of the stream hasn't taken.
    mutating func wrote(unread: Int) {
        self.unread = unread
    }

    /// Whether the transfer has to wait for the reader.
    var isFull: Bool { isStreamed && unread > pauseLimit }

    /// Whether the reader of the stream hasn't taken everything.
    var hasUnread: Bool { unread > 0 }
}
