import RecordKit
import RecordKitInterceptors

/// How a request to the store can fail.
enum InventoryError: NetworkFailure {
    /// No such record.
    case notFound
    /// Somebody was faster: the record as it is now, when the server says.
    case conflict(StoredRecord?)
    /// Every try met another change of the same moment.
    case crowded
    /// There is no such shop yet, or the account may not use it: Kinto tells nobody which.
    case noShop
    /// No credentials, or wrong ones.
    case notSignedIn
    /// The account may not.
    case notAllowed
    /// The account cannot keep its changes apart from those of others; whether some were made all the same.
    case noLock(isChanged: Bool)
    /// Asked too often, or at a bad time; how long to wait, when the server says.
    case rateLimited(after: String?)
    /// The server has asked for a longer wait than there is time for: this request was not sent.
    case heldBack(Duration)
    /// The record is there and is none of ours.
    case unreadable(UnreadableRecord)
    /// The server refused the request, or failed over it, for a reason of its own.
    case refused(KintoProblem)
    /// A change was sent and no answer of Kinto's came: it may have been made. The SKU when it was the only one.
    case unanswered(NetworkError, SKU?)
    /// Anything below: no connection, no time, no sense in the answer.
    case network(NetworkError)

    init(_ error: NetworkError) {
        switch error {
        case .status(let response): self = InventoryError(response) ?? .network(error)
        case .decoding(let failure):
            self = (failure.cause as? UnreadableRecord).map { .unreadable($0) } ?? .network(error)
        case .interceptor(let failure):
            self = (failure.cause as? RateLimitInterceptor.TooLong).map { .heldBack($0.wait) } ?? .network(error)
        default: self = .network(error)
        }
    }

    private init?(_ response: NetworkResponse) {
        let problem = try? response.value(as: KintoProblem.self)
        self.init(
            statusCode: response.statusCode, problem, retryAfter: response.headers["Retry-After"],
            existing: (try? response.value(as: ExistingRecord.self))?.existing)
    }

    /// Nil for a status that Kinto would have explained.
    init?(statusCode: Int, _ problem: KintoProblem?, retryAfter: String?, existing: StoredRecord?) {
        switch (statusCode, problem) {
        case (401, _): self = .notSignedIn
        case (403, let problem?) where problem.errno == KintoProblem.forbidden: self = .noShop
        case (403, _): self = .notAllowed
        case (404, let problem?) where problem.missing == "record": self = .notFound
        case (404, let problem?) where problem.missing == "collection": self = .noShop
        // 409: a write of the same moment won.
        case (409, _?), (412, _?): self = .conflict(existing)
        case (429, _): self = .rateLimited(after: retryAfter)
        case (503, _) where retryAfter != nil: self = .rateLimited(after: retryAfter)
        // Kinto numbers its errors, also its own faults: this is the word of something before it.
        case (500..., let problem?) where problem.errno == nil: return nil
        case (_, let problem?): self = .refused(problem)
        default: return nil
        }
    }
}

extension InventoryError: CustomStringConvertible {
    var description: String {
        switch self {
        case .notFound: "there is no such record"
        case .conflict: "somebody else keeps changing the record; try again"
        case .crowded:
            "the change was not made: the server turned down every try, for another change of the same moment; try again later"
        case .noShop: "the shop does not exist yet, or this account may not use it"
        case .notSignedIn:
            "the server wants a sign-in, or another one: check RECORD_INVENTORY_USER and the password in "
                + "RECORD_INVENTORY_PASSWORD_FILE"
        case .notAllowed:
            "this account may not do that: give it \"write\" on the bucket, or sign in with another"
        case .noLock(isChanged: false):
            "nothing was changed: this account may not write to the shop's collection \(ShopLock.collection), which keeps "
                + "its changes apart from those of other tills; give it \"write\" there, or on the bucket"
        case .noLock(isChanged: true):
            "the change was made, but the shop's collection \(ShopLock.collection) went away before it: compare with the "
                + "other tills whether one of theirs was lost"
        case .rateLimited(let after): "the server asks to wait: try again \(Self.time(after))"
        case .heldBack(let wait):
            "the server asks to wait, so nothing more was sent: try again in \(Int((wait / .seconds(1)).rounded(.up))) s"
        case .unreadable(let record): record.description
        case .refused(let problem): "the server answered \(problem.code): \(problem.text.printable)"
        case .unanswered(let error, let sku?):
            "\(Self.lost(error)) The change may have been made all the same: look with `show \(sku.text)` before you try "
                + "again."
        case .unanswered(let error, nil):
            "\(Self.lost(error)) The rows that were on their way may be in all the same: import the file again."
        case .network(.status(let response)) where response.statusCode < 500: Self.notKinto(response)
        case .network(.decoding(let failure)): Self.notKinto(failure.response)
        case .network(.status(let response)): "The server refused the request: \(response)\(response.explanation)."
        case .network(let error): error.description
        }
    }

    /// Retry-After holds seconds or a date (RFC 9110 section 10.2.3).
    private static func time(_ after: String?) -> String {
        guard let after else { return "later" }
        return Int(after).map { "in \($0) s" } ?? "after \(after)"
    }

    /// Why a change has no answer.
    private static func lost(_ error: NetworkError) -> String {
        switch error {
        case .status(let response):
            "Something between here and Kinto gave up on it and answered \(response)\(response.explanation)."
        case .decoding(let failure): notKinto(failure.response) + "."
        case .tooLarge(_, let host): "The answer of \(host) is too long for what was asked."
        case .cancelled: "Interrupted while a change was under way."
        default: error.description
        }
    }

    private static func notKinto(_ response: NetworkResponse) -> String {
        // Kinto has no such limit: a proxy's word.
        if response.statusCode == 413 {
            return
                "something in front of Kinto takes no request as large as this: \(response); have it take larger ones"
        }
        return "no Kinto server answers like this: \(response)\(response.explanation); check the address, which mostly "
            + "ends in /v1"
    }
}

extension NetworkResponse {
    /// What the server explains, as the continuation of a sentence: ` ("out of disk")`. Empty if it explains nothing.
    fileprivate var explanation: String {
        let kinto = try? value(as: KintoProblem.self)
        let texts = [problem?.detail, problem?.title, kinto?.text]
        guard let text = texts.compactMap(\.self).first(where: { !$0.isEmpty }) else { return "" }
        return " (\"\(String(text.unicodeScalars.prefix(1000)).printable)\")"
    }
}
