public import Foundation
public import RecordKit
import Synchronization

/// A request that an ``Outbox`` keeps, without the request itself.
public struct OutboxEntry: Sendable, Hashable, Identifiable {
    /// The states of an entry.
    @nonexhaustive
    public enum State: Int, Sendable, Hashable {
        /// The request is to be sent.
        case waiting
        /// The request has its result, and the handler of its kind hasn't succeeded yet.
        case unhandled
        /// The entry is kept, and not tried: see ``OutboxEntry/note``. It holds up no other entry.
        case setAside
    }

    /// The identifier, in the order in which entries were added. It isn't used again.
    public let id: Int64
    /// The key, which is sent as `Idempotency-Key`. It is the same for each attempt.
    public let key: String
    /// The name of the kind.
    public let kind: String
    /// The lane. Entries of a lane are sent one after the other.
    public let lane: String
    /// The account at the time of ``Outbox/add(_:lane:key:expiry:)``, or `nil` if there was none.
    public let account: String?
    /// The date at which the entry was added.
    public let added: Date
    /// The date after which the request isn't sent, or `nil`.
    public let expiry: Date?
    /// The state.
    public let state: State
    /// The number of calls so far.
    public let attempts: Int
    /// Whether a server may have received the request. Also true if the process ended during a call.
    public let mayHaveReachedServer: Bool
    /// What happened in the last attempt and when, or why the entry is set aside.
    ///
    /// Has no query, body or header field. Of a redirect it names the host, and of a file the name.
    public let note: String?
}

extension NetworkCall {
    /// The entry of the outbox that sends this call, or `nil` for any other call.
    ///
    /// An observer or an interceptor uses it to find the entry. It is set after the event `NetworkEvent.Kind.built`.
    public var outboxEntry: OutboxEntry? { shared(OutboxEntryKey.self, make: OutboxEntryBox.init).entry }

    /// Makes an entry known to the observers of this call.
    func setOutboxEntry(_ entry: OutboxEntry) {
        shared(OutboxEntryKey.self, make: OutboxEntryBox.init).entry = entry
    }
}

private enum OutboxEntryKey: CallKey {
    typealias Value = OutboxEntryBox
}

/// An observer may ask before there is an entry, and a call keeps the first value of a key. So the value is a box.
private final class OutboxEntryBox: Sendable {
    private let content = Mutex<OutboxEntry?>(nil)

    var entry: OutboxEntry? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
