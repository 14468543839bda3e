import RecordKitJSON
import RecordKit
import RecordKitSQLite

/// Responds to requests as a Kinto server does, from one database.
///
/// Runs each request, and each batch, in one transaction.
struct StoreService {
    let table: ObjectTable

    /// The maximum number of requests in a batch. Each commit waits for the disk, so large batches make imports fast.
    static let batchLimit = 2_000

    /// Responds to a request. Errors in the request become responses; throws only if the database fails.
    func respond(to request: StoreRequest) throws -> StoreResponse {
        do {
            return try table.database.transaction(request.changesNothing ? .read : .write) {
                try respondInTransaction(request)
            }
        } catch is VersionTaken {
            return StoreRefusal.versionTaken.response
        }
    }

    /// Responds within a transaction. A response of 400 or above changed nothing, since checks come before writes.
    ///
    /// - Parameter lists: The lists that the batch has opened.
    func respondInTransaction(_ request: StoreRequest, _ lists: OpenLists = OpenLists()) throws -> StoreResponse {
        do {
            return try route(request, lists)
        } catch let refusal as StoreRefusal {
            return refusal.response
        }
    }

    private func route(_ request: StoreRequest, _ lists: OpenLists) throws -> StoreResponse {
        switch (try StoreRoute(path: request.path), request.method) {
        case (.server, .get):
            return server()
        case (.batch, .post):
            return try batch(request)
        case (.check, .get):
            return try check()
        case (.sums(let path), .get):
            return try sums(request, in: open(path, for: request))
        case (.list(let path), .get), (.list(let path), .head):
            lists.forget()
            return try read(request, open(path, for: request))
        case (.object(let path, let id), let method):
            var list = try lists.known(path) ?? open(path, for: request)
            defer { lists.note(path, list, after: request) }
            let target = Target(id: id, path: path)
            switch method {
            case .get: return try read(target, list)
            case .put: return try put(request, target, &list)
            case .patch: return try patch(request, target, &list)
            case .delete: return try delete(request, target, &list)
            default: throw StoreRefusal.method
            }
        default:
            throw StoreRefusal.method
        }
    }

    private func server() -> StoreResponse {
        let settings: JSONValue = ["batch_max_requests": .integer(Int64(Self.batchLimit))]
        return StoreResponse((["settings": settings] as JSONValue).bytes())
    }

    /// Returns the list, or throws if an object that holds it does not exist.
    private func open(_ path: ListPath, for request: StoreRequest) throws -> ObjectTable.List {
        switch path {
        case .buckets:
            break
        case .collections(let bucket):
            guard try table.exists(bucket, in: .buckets) else { throw StoreRefusal.forbidden }
        case .records(let bucket, let collection):
            if try table.exists(collection, in: .collections(bucket: bucket)) { break }
            // A read in a missing bucket is forbidden. A write there reports the missing collection first.
            let bucketExists = try table.exists(bucket, in: .buckets)
            guard !request.changesNothing || bucketExists else { throw StoreRefusal.forbidden }
            throw StoreRefusal.missing(collection, "collection", isParent: true)
        }
        guard let list = try table.list(at: path) else { throw StoreRefusal.unknownPath }
        return list
    }
}

/// The lists that the requests of a batch have opened, since most are in one or two lists.
final class OpenLists {
    private var lists: [ListPath: ObjectTable.List] = [:]

    func known(_ path: ListPath) -> ObjectTable.List? { lists[path] }

    /// Notes a list with its version after a request. A changed bucket or collection may have changed any list.
    func note(_ path: ListPath, _ list: ObjectTable.List, after request: StoreRequest) {
        guard case .records = path else {
            if !request.changesNothing { forget() }
            return
        }
        lists[path] = list
    }

    func forget() { lists.removeAll() }
}
