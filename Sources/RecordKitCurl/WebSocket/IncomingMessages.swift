import RecordKit

/// The messages that have arrived, those who wait for one, and how the messages end.
struct IncomingMessages<Reader> {
    typealias End = Result<Void, NetworkError>

    /// What a reader gets.
    enum Reading {
        /// A message. If `resumes`, the link may read again.
        case message(WebSocketMessage, resumes: Bool)
        case end(End)
        /// Nothing yet.
        case wait
    }

    private let limit: Int
    private var inbox = WebSocketInbox()
    private var readers: [Reader] = []
    /// Whether the link stopped reading, because there are too many unread messages.
    private(set) var isPaused = false
    /// How the messages end, after those in the inbox.
    private(set) var end: End?

    /// Begins without a message.
    ///
    /// - Parameter limit: The size of the unread messages at which the link stops reading.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes the next message for a reader, which waits if there is none.
    mutating func take(for reader: Reader) -> Reading {
        if let message = inbox.takeFirst() {
            let resumes = isPaused && inbox.size <= limit / 2
            if resumes { isPaused = false }
            return .message(message, resumes: resumes)
        }
        if let end { return .end(end) }
        readers.append(reader)
        return .wait
    }

    /// Handles a message. Returns the reader that gets it, if one waits.
    mutating func receive(_ message: WebSocketMessage) -> Reader? {
        if end != nil { return nil }
        if !readers.isEmpty { return readers.removeFirst() }
        inbox.append(message)
        return nil
    }

    /// Returns whether the link may read.
    mutating func mayRead() -> Bool {
        isPaused = inbox.size > limit
        return !isPaused
    }

    /// Ends the messages, unless they have ended. Returns the readers, which get nothing more.
    mutating func end(_ end: End) -> [Reader] {
        self.end = self.end ?? end
        defer { readers = [] }
        return readers
    }

    /// Drops the unread messages. If there were any, the messages end with the error.
    mutating func drop(_ error: NetworkError) {
        if !inbox.isEmpty { end = .failure(error) }
        inbox = WebSocketInbox()
    }

    /// Drops the unread messages, and those that follow.
    mutating func dropAll(_ error: NetworkError) {
        end = end ?? .failure(error)
        inbox = WebSocketInbox()
    }
}

/// The messages that the app hasn't taken yet.
private struct WebSocketInbox {
    private var messages: [WebSocketMessage] = []
    /// The position of the next message. Those before it are taken, and removed together.
    private var position = 0
    /// The size of the messages in memory, in bytes.
    private(set) var size = 0

    var isEmpty: Bool { position == messages.count }

    mutating func append(_ message: WebSocketMessage) {
        messages.append(message)
        size += message.size
    }

    mutating func takeFirst() -> WebSocketMessage? {
        if isEmpty { return nil }
        let message = messages[position]
        position += 1
        size -= message.size
        if isEmpty {
            messages.removeAll(keepingCapacity: messages.count < 1_024)
            position = 0
        } else if position > 64, position > messages.count / 2 {
            messages.removeFirst(position)
            position = 0
        }
        return message
    }
}

extension WebSocketMessage {
    /// The size in memory, in bytes. An empty message has one, too.
    fileprivate var size: Int {
        switch self {
        case .text(let text): text.utf8.count + 64
        case .data(let data): data.count + 64
        }
    }
}
