import Foundation
import RecordKit

/// How a request to the store can fail.
enum InventoryError: NetworkFailure {
    /// No such record.
    case notFound
    /// Somebody was faster: the record as it is now, when the server says.
    case conflict(StoredRecord?)
    /// No credentials, or wrong ones.
    case notSignedIn
    /// The account may not, or there is no such shop yet: Kinto answers both alike.
    case notAllowed
    /// Asked too often; how long to wait, when the server says.
    case rateLimited(after: String?)
    /// The server refused the request, or failed over it, for a reason of its own.
    case refused(KintoProblem)
    /// Anything below: no connection, no time, no sense in the answer.
    case network(NetworkError)

    init(_ error: NetworkError) {
        guard case .status(let response) = error else {
            self = .network(error)
            return
        }
        switch response.statusCode {
        case 401: self = .notSignedIn
        case 403: self = .notAllowed
        case 404: self = .notFound
        case 412: self = .conflict(try? response.value(as: ExistingRecord.self).existing)
        case 429: self = .rateLimited(after: response.headers["Retry-After"])
        default:
            if let problem = try? response.value(as: KintoProblem.self) {
                self = .refused(problem)
            } else {
                self = .network(error)
            }
        }
    }
}

extension InventoryError {
    /// Kinto answers a read in a shop that does not exist with 403, a write there with 404.
    var mayMeanNoShop: Bool {
        switch self {
        case .notAllowed, .notFound: true
        default: false
        }
    }
}

extension InventoryError: CustomStringConvertible {
    var description: String {
        switch self {
        case .notFound: "there is no such record"
        case .conflict: "somebody else changed the record meanwhile"
        case .notSignedIn: "the server wants other credentials: check RECORD_INVENTORY_USER and the password"
        case .notAllowed: "this account may not do that, or the shop does not exist"
        case .rateLimited(let after?): "the server is asked too often; try again in \(after) s"
        case .rateLimited(nil): "the server is asked too often; try again later"
        case .refused(let problem): "the server answered \(problem.code): \(problem.text)"
        case .network(let error): "\(error)"
        }
    }
}
