import Foundation
import RecordKitSQLite

/// A row of the table of entries, with its request.
struct EntryRow: Sendable {
    var id: Int64 = 0
    let key: String
    let kind: String
    let lane: String
    let account: StoredAccount
    let added: Date
    let expiry: Date?
    /// The encoded request. `nil` if its checksum is wrong.
    var request: Data?
    /// The name of the folder with the entry's files, or `nil` if it never had one.
    var folder: String?
    /// The size that counts for the limit.
    var size: Int
    var state: OutboxEntry.State = .waiting
    /// The number of calls.
    var attempts = 0
    /// The number of server errors.
    var errors = 0
    /// The number of times that the handler was called.
    var handled = 0
    /// Whether a server may have received the request.
    var reached = false
    /// Whether the next version of the app may be able to send it.
    var isUnreadable = false
    var note: String?

    /// What the checksums of an entry depend on beside the bytes.
    var identity: String {
        let dates = [added, expiry].map { $0.map { "\($0.timeIntervalSince1970.bitPattern)" } ?? "" }
        return ([key, kind, lane, account.text] + dates).joined(separator: "\0")
    }

    var entry: OutboxEntry {
        OutboxEntry(
            id: id, key: key, kind: kind, lane: lane, account: account.name, added: added, expiry: expiry, state: state,
            attempts: attempts, mayHaveReachedServer: reached, note: note)
    }
}

/// An account in the file, where none isn't the same as an empty name.
struct StoredAccount: Sendable, Hashable {
    /// The account of entries that were added without one. They are sent with any.
    static let none = StoredAccount(nil)

    let text: String

    init(_ name: String?) {
        text = name.map { "=" + $0 } ?? ""
    }

    init(text: String) {
        self.text = text
    }

    var name: String? { text.isEmpty ? nil : String(text.dropFirst()) }

    /// The accounts whose entries are sent with this one.
    var visible: Set<StoredAccount> { [.none, self] }
}

extension EntryRow {
    static let columns = """
        id, key, kind, lane, account, added, expiry, folder, size, state, attempts, errors, handled, reached,
        unreadable, note, request
        """

    init(_ row: SQLiteStatement) {
        id = row.integer(0)
        key = row.text(1)
        kind = row.text(2)
        lane = row.text(3)
        account = StoredAccount(text: row.text(4))
        added = Date(timeIntervalSince1970: row.real(5))
        expiry = row.isNull(6) ? nil : Date(timeIntervalSince1970: row.real(6))
        folder = row.optionalText(7)
        size = Int(row.integer(8))
        state = OutboxEntry.State(rawValue: Int(row.integer(9))) ?? .setAside
        attempts = Int(row.integer(10))
        errors = Int(row.integer(11))
        handled = Int(row.integer(12))
        reached = row.integer(13) != 0
        isUnreadable = row.integer(14) != 0
        note = row.optionalText(15)
        request = Sealed.open(row.data(16), .request, of: identity)
    }

    var values: [SQLiteValue] {
        [
            id == 0 ? .null : .integer(id), .text(key), .text(kind), .text(lane), .text(account.text),
            .real(added.timeIntervalSince1970), expiry.map { .real($0.timeIntervalSince1970) } ?? .null,
            folder.map { .text($0) } ?? .null, .integer(Int64(size)), .integer(Int64(state.rawValue)),
            .integer(Int64(attempts)), .integer(Int64(errors)), .integer(Int64(handled)), .integer(reached ? 1 : 0),
            .integer(isUnreadable ? 1 : 0), note.map { .text($0) } ?? .null,
            .data(request.map { Sealed($0, .request, of: identity).bytes } ?? Data()),
        ]
    }
}
