import Foundation
import RecordKitSQLite

/// A row of the table of entries, with its request.
struct EntryRow: Sendable {
    var id: Int64 = 0
    let key: String
    let kind: String
    let lane: String
    /// The account, or an empty string for an entry that was added without one.
    let account: String
    let added: Date
    let expiry: Date?
    /// The name of the folder with the entry's files. It is created with its first file.
    let folder: String
    /// The size that counts for the limit.
    let size: Int
    var state: OutboxEntry.State = .waiting
    /// The number of calls.
    var attempts = 0
    /// The number of responses with 409 in a row.
    var conflicts = 0
    /// Whether a server may have received the request.
    var reached = false
    var note: String?
    /// The encoded request. `nil` if its checksum is wrong.
    var request: Data?
    /// The encoded body of an entry that is added.
    var body = Data()

    /// What the checksums of an entry depend on beside the bytes.
    var identity: String {
        let dates = [added, expiry].map { $0.map { "\($0.timeIntervalSince1970.bitPattern)" } ?? "" }
        return ([key, kind, lane, account, folder] + dates).joined(separator: "\0")
    }

    var entry: OutboxEntry {
        OutboxEntry(
            id: id, key: key, kind: kind, lane: lane, account: account.isEmpty ? nil : account, added: added,
            expiry: expiry, state: state, attempts: attempts, mayHaveReachedServer: reached, note: note)
    }

    /// Returns the entry as an outbox sees it that may lack its kind.
    func entry(known: Set<String>) -> OutboxEntry {
        var row = self
        if state == .waiting, !known.contains(kind) {
            (row.state, row.note) = (.setAside, "This version of the app has no kind \"\(kind)\".")
        }
        return row.entry
    }
}

extension EntryRow {
    static let columns = """
        id, key, kind, lane, account, added, expiry, folder, size, CASE WHEN aside THEN 2 ELSE unhandled END, attempts,
        reached, note, request, conflicts
        """

    init(_ row: SQLiteStatement) {
        id = row.integer(0)
        key = row.text(1)
        kind = row.text(2)
        lane = row.text(3)
        account = row.text(4)
        added = Date(timeIntervalSince1970: row.real(5))
        expiry = row.isNull(6) ? nil : Date(timeIntervalSince1970: row.real(6))
        folder = row.text(7)
        size = Int(row.integer(8))
        state = OutboxEntry.State(rawValue: Int(row.integer(9))) ?? .setAside
        attempts = Int(row.integer(10))
        reached = row.integer(11) != 0
        note = row.optionalText(12)
        conflicts = Int(row.integer(14))
        request = Sealed.open(row.data(13), .request, of: identity)
    }

    /// The columns of an entry that is added. The others have their defaults.
    static let newColumns = "key, kind, lane, account, added, expiry, folder, size, request, content"

    var newValues: [SQLiteValue] {
        [
            .text(key), .text(kind), .text(lane), .text(account), .real(added.timeIntervalSince1970),
            expiry.map { .real($0.timeIntervalSince1970) } ?? .null, .text(folder), .integer(Int64(size)),
            .data(Sealed.bytes(request ?? Data(), .request, of: identity)),
            .data(Sealed.bytes(body, .body, of: identity)),
        ]
    }
}
