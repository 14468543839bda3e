import RecordKit

/// Why a change was refused, or made in part, or is not known to be made.
enum ChangeError: Error {
    /// The record is another one than the change was planned for. Holds it if the server sent it.
    case conflict(StoredRecord?)
    /// The record does not exist any more.
    case notFound
    /// Every attempt met a change at the same moment.
    case tooManyConflicts
    /// The change was taken back, since another program changed a record at the same moment.
    case superseded
    /// A command with this id was made before. Holds whether the records were changed once more.
    case alreadyMade(String, isChanged: Bool)
    /// Another program, which writes no movements, was faster with a part of the records. Holds those that were
    /// changed.
    case partlyMade([SKU])
    /// The response was lost, and the change was not made.
    case notMade(NetworkError)
    /// The response was lost, and the change may have been made. Holds the SKU of the first record.
    case unanswered(NetworkError, SKU?)
    /// The account may not write the lock, which isolates its changes from those of others. Holds whether changes were
    /// made.
    case noLock(isChanged: Bool)
    /// The account may not write movements. Holds whether changes were made.
    case noLedger(isChanged: Bool)
    /// A request failed.
    case request(InventoryError)

    init(_ error: InventoryError) {
        switch error {
        case .conflict(let current): self = .conflict(current)
        case .notFound: self = .notFound
        case .unanswered(let cause): self = .unanswered(cause, nil)
        default: self = .request(error)
        }
    }

    var withoutLock: ChangeError { isForbidden ? .noLock(isChanged: false) : self }

    var withoutLedger: ChangeError { isForbidden ? .noLedger(isChanged: false) : self }

    private var isForbidden: Bool {
        switch self {
        case .request(.noShop), .request(.notAllowed): true
        default: false
        }
    }
}

extension ChangeError: CustomStringConvertible {
    var description: String {
        switch self {
        case .conflict: InventoryError.conflict(nil).description
        case .notFound: InventoryError.notFound.description
        case .tooManyConflicts:
            "the change was not made: every attempt conflicted with another change; try again later"
        case .noLock(isChanged: false):
            "nothing was changed: this account may not write to the shop's collection \(Ledger.lockCollection), which isolates "
                + "its changes from those of other tills; give it \"write\" there, or on the bucket"
        case .noLock(isChanged: true):
            "the change was made, but without the lock in the shop's collection \(Ledger.lockCollection): check whether it "
                + "overwrote a change of another till"
        case .noLedger(isChanged: false):
            "nothing was changed: this account may not write to the shop's collection \(Ledger.collection), which keeps the "
                + "movements of the stock; give it \"write\" there, or on the bucket"
        case .noLedger(isChanged: true):
            "the change was made, but not entered in the shop's collection \(Ledger.collection): give the account \"write\" "
                + "there, and type `record-inventory doctor`"
        case .alreadyMade(let id, isChanged: false):
            "nothing was changed: a command with the id \(id) was made already; look at it with `history --id \(id)`"
        case .alreadyMade(let id, isChanged: true):
            "the stock was changed, but not entered in the ledger: another command with the id \(id) was made at the same "
                + "moment; compare it with `history --id \(id)`, and type `record-inventory doctor`"
        case .superseded:
            "the change was not made: another till changed the same record at the same moment; try again"
        case .notMade(let error): "\(error.lost) The change was not made: try again."
        case .partlyMade(let skus):
            "only a part was made, since another program changed a record at the same moment: "
                + "\(skus.map(\.text).joined(separator: ", ")); take that back with `undo`, or make the rest by itself"
        case .unanswered(let error, let sku?):
            "\(error.lost) The change may have been made anyway: check with `history \(sku.text)` before you "
                + "try again."
        case .unanswered(let error, nil):
            "\(error.lost) The changes being sent may have been made anyway: check before you try again."
        case .request(let error): error.description
        }
    }
}
