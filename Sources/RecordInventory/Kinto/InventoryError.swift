import RecordKit
import RecordKitInterceptors

/// Why a request failed, or why a change was refused, or made in part, or is not known to be made.
enum InventoryError: NetworkFailure {
    /// The record does not exist, or no longer.
    case notFound
    /// The record was changed by another program. Holds the current record if the server sent it.
    case conflict(StoredRecord?)
    /// The shop does not exist, or the account may not use it. Kinto does not distinguish these.
    case noShop
    /// The credentials are missing or wrong.
    case notSignedIn
    /// The account lacks the permission.
    case notAllowed
    /// The server limits requests, or is busy. Holds the delay if the server sent one.
    case rateLimited(after: String?)
    /// The server asked for a longer wait than the deadline or the timeout allows. The request was not sent.
    case heldBack(Duration)
    /// The record or the movement exists, but cannot be read.
    case unreadable(Unreadable)
    /// The server refused the request, or failed, for another reason.
    case refused(KintoProblem)
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
    case unanswered(NetworkError, SKU? = nil)
    /// The account may not write the lock, which isolates its changes from those of others. Holds whether changes were
    /// made.
    case noLock(isChanged: Bool)
    /// The account may not write movements. Holds whether changes were made.
    case noLedger(isChanged: Bool)
    /// A restore of the shop was interrupted.
    case halfRestored
    /// Another version of the tool made the shop, with this format.
    case otherFormat(Int64)
    /// Any other failure: no connection, a timeout, a malformed response.
    case network(NetworkError)

    init(_ error: NetworkError) {
        switch error {
        case .status(let response):
            let wait = response.headers["Retry-After"]
            self =
                InventoryError(statusCode: response.statusCode, KintoProblem(response), retryAfter: wait)
                ?? .network(error)
        case .decoding(let failure):
            self = (failure.cause as? Unreadable).map { .unreadable($0) } ?? .network(error)
        case .interceptor(let failure):
            let wait =
                (failure.cause as? RateLimitInterceptor.TooLongError)?.wait
                ?? (failure.cause as? LongPause.Remaining)?.wait
            self = wait.map { .heldBack($0) } ?? .network(error)
        default: self = .network(error)
        }
    }

    /// Returns `nil` for a status that Kinto would have explained.
    init?(statusCode: Int, _ problem: KintoProblem?, retryAfter: String?) {
        switch (statusCode, problem) {
        case (401, _): self = .notSignedIn
        case (403, let problem?) where problem.errno == KintoProblem.forbidden: self = .noShop
        case (403, _): self = .notAllowed
        case (404, let problem?) where problem.missing == "record": self = .notFound
        case (404, let problem?) where problem.missing == "collection": self = .noShop
        // 409: a write at the same moment succeeded.
        case (409, let problem?), (412, let problem?): self = .conflict(problem.existing)
        case (429, _): self = .rateLimited(after: retryAfter)
        case (503, _) where retryAfter != nil: self = .rateLimited(after: retryAfter)
        // Kinto numbers all of its errors. Without a number the response is a proxy's.
        case (500..., let problem?) where problem.errno == nil: return nil
        case (_, let problem?): self = .refused(problem)
        default: return nil
        }
    }

    var withoutLock: InventoryError { isForbidden ? .noLock(isChanged: false) : self }

    var withoutLedger: InventoryError { isForbidden ? .noLedger(isChanged: false) : self }

    /// Whether Kinto reported that the shop does not exist, or that the account may not use it.
    var isNoShop: Bool { if case .noShop = self { true } else { false } }

    private var isForbidden: Bool {
        switch self {
        case .noShop, .notAllowed: true
        default: false
        }
    }
}

extension InventoryError: CustomStringConvertible {
    var description: String {
        switch self {
        case .notFound: "there is no such record"
        case .conflict: "another program keeps changing the record; try again"
        case .noShop: "the shop does not exist yet, or this account may not use it"
        case .notSignedIn:
            "the credentials are missing or wrong: check RECORD_INVENTORY_USER and the password in "
                + "RECORD_INVENTORY_PASSWORD_FILE"
        case .notAllowed:
            "this account may not do that: give it \"write\" on the bucket, or sign in with another"
        case .rateLimited(let after): "the server asks to wait: try again \(after?.retryTime ?? "later")"
        case .heldBack(let wait):
            "the server asks to wait, so nothing more was sent: "
                + "try again in \(Int((wait / .seconds(1)).rounded(.up))) s"
        case .unreadable(let object): object.description
        case .refused(let problem): "the server responded with \(problem.code): \(problem.text)"
        case .tooManyConflicts:
            "the change was not made: every attempt conflicted with another change; try again later"
        case .noLock(isChanged: false):
            "nothing was changed: this account may not write to the shop's collection \(Ledger.lockCollection), which "
                + "isolates its changes from those of other tills; give it \"write\" there, or on the bucket"
        case .noLock(isChanged: true):
            "the change was made, but without the lock in the shop's collection \(Ledger.lockCollection): check "
                + "whether it overwrote a change of another till"
        case .noLedger(isChanged: false):
            "nothing was changed: this account may not write to the shop's collection \(Ledger.collection), which "
                + "keeps the movements of the stock; give it \"write\" there, or on the bucket"
        case .noLedger(isChanged: true):
            "the change was made, but not entered in the shop's collection \(Ledger.collection): give the account "
                + "\"write\" there, and type `record-inventory doctor`"
        case .alreadyMade(let id, isChanged: false):
            "nothing was changed: a command with the id \(id) was made already; look at it with `history --id \(id)`"
        case .alreadyMade(let id, isChanged: true):
            "the stock was changed, but not entered in the ledger: another command with the id \(id) was made at the "
                + "same moment; compare it with `history --id \(id)`, and type `record-inventory doctor`"
        case .halfRestored:
            "nothing was changed: the shop is restored in part only, since a restore was interrupted; type `restore` "
                + "with the backup again"
        case .otherFormat(let format):
            "nothing was changed: the shop \(Ledger.reason(for: format))"
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
        case .network(.status(let response)) where response.statusCode < 500: response.foreignText
        case .network(.decoding(let failure)): failure.response.foreignText
        case .network(.invalidRequest(let failure)): "the request cannot be sent: \(failure.reason)"
        case .network(.status(let response)): NetworkError.status(response).lost
        case .network(let error): error.description
        }
    }
}

extension NetworkResponse {
    /// Says that the response is not one of Kinto's.
    fileprivate var foreignText: String {
        // Kinto has no such limit, so the response is a proxy's.
        if statusCode == 413 {
            return "a proxy in front of Kinto refuses a request of this size: \(self); let it accept larger ones"
        }
        return
            "this is no response of a Kinto server: \(self)\(explanation); check the address, which usually ends in /v1"
    }

    /// The explanation in the response, to continue a sentence: ` ("out of disk")`. Empty if there is none.
    fileprivate var explanation: String {
        let texts = [problem?.detail, problem?.title, KintoProblem(self)?.text]
        guard let text = texts.compactMap(\.self).first(where: { !$0.isEmpty }) else { return "" }
        return " (\"\(String(text.unicodeScalars.prefix(1000)).printable)\")"
    }
}

extension NetworkError {
    /// Why a change has no response.
    var lost: String {
        switch self {
        case .status(let response):
            // Kinto numbers its errors. Without a number the response is a proxy's.
            "\(KintoProblem(response)?.errno == nil ? "A proxy in front of Kinto" : "The server") "
                + "failed and responded with \(response)\(response.explanation)."
        case .decoding(let failure): failure.response.foreignText + "."
        case .tooLarge(let failure): "The response of \(failure.host) is too large."
        case .cancelled: "Interrupted during a change."
        case .invalidRequest(let failure): "The request cannot be sent: \(failure.reason)."
        default: description
        }
    }

    /// Whether a change may have been made although its response is lost: Kinto may have received the request, and sent
    /// no refusal.
    var mayHaveChanged: Bool {
        switch self {
        case .connection, .timedOut, .cancelled, .badResponse, .tooLarge: return mayHaveReachedServer
        case .decoding(let failure): return !(failure.cause is Unreadable)
        // Kinto numbers its errors. Without a number the response is a proxy's, which may have passed the change on.
        // Kinto 26.5.0 responds with 500 if it loses the connection to PostgreSQL after the commit.
        case .status(let response) where response.statusCode >= 500:
            return KintoProblem(response)?.errno != KintoProblem.busy
        case .status, .invalidRequest, .interceptor, .redirectRefused, .file: return false
        }
    }
}
