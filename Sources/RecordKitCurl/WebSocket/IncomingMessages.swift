import RecordKit

/// The messages that have arrived and that the app hasn't taken yet.
struct WebSocketInbox {
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
