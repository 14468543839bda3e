import RecordKit

/// Responds to requests as a Kinto server does, from one database.
///
/// Runs each request, and each batch, in one transaction.
struct StoreService {
    let table: ObjectTable

    /// The maximum number of requests in a batch. Each commit waits for the disk, so large batches make imports fast.
    static let batchLimit = 2_000

    /// Responds to a request. Errors in the request become responses; throws only if the database fails.
    func answer(_ request: StoreRequest) throws -> StoreResponse {
        do {
            return try table.database.transaction(request.changesNothing ? .read : .write) {
                try answerInTransaction(request)
            }
        } catch is VersionTaken {
            return StoreRefusal.versionTaken.response
        }
    }

    /// Responds within a transaction. A response of 400 or above changed nothing, since checks come before writes.
    ///
    /// - Parameter lists: the lists that the batch has opened.
    func answerInTransaction(_ request: StoreRequest, _ lists: OpenLists = OpenLists()) throws -> StoreResponse {
        do {
            return try route(request, lists)
        } catch let refusal as StoreRefusal {
            return refusal.response
        }
    }

    private func route(_ request: StoreRequest, _ lists: OpenLists) throws -> StoreResponse {
        let route = try StoreRoute(path: request.path)
        guard route.methods.contains(request.method.rawValue) else {
            throw StoreRefusal.method(allowed: route.methods)
        }
        switch route {
        case .server:
            return server(request)
        case .batch:
            return try batch(request)
        case .check:
            return try check()
        case .sums(let path):
            return try sums(request, in: open(path, for: request))
        case .list(let path):
            lists.forget()
            return try read(request, open(path, for: request))
        case .object(let path, let id):
            var list = try lists.known(path) ?? open(path, for: request)
            defer { lists.note(path, list, after: request) }
            let target = Target(id: id, path: path)
            // A missing bucket is forbidden, whatever else is wrong with the request.
            if path == .buckets, request.method != .put, try !table.exists(id, in: path) { throw target.missing }
            return switch request.method {
            case .put: try put(request, target, &list)
            case .patch: try patch(request, target, &list)
            case .delete: try delete(request, target, &list)
            default: try read(request, target, list)
            }
        }
    }

    private func server(_ request: StoreRequest) -> StoreResponse {
        let body: JSONValue = [
            "project_name": "record-inventory", "http_api_version": "1.23",
            "url": .string("\(request.origin)\(StoreRoute.prefix)/"),
            "settings": [
                "batch_max_requests": .integer(Int64(Self.batchLimit)), "readonly": false, "explicit_permissions": true,
            ],
            "capabilities": [:],
        ]
        return StoreResponse(version: nil, body: JSONWriter.bytes(body))
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
    private var lists: [(path: ListPath, list: ObjectTable.List)] = []

    func known(_ path: ListPath) -> ObjectTable.List? {
        lists.first { $0.path == path }?.list
    }

    /// Notes a list with its version after a request. A changed bucket or collection may have changed any list.
    func note(_ path: ListPath, _ list: ObjectTable.List, after request: StoreRequest) {
        guard case .records = path else {
            if !request.changesNothing { forget() }
            return
        }
        if let index = lists.firstIndex(where: { $0.path == path }) {
            lists[index].list = list
        } else {
            lists.append((path, list))
        }
    }

    func forget() {
        lists.removeAll()
    }
}
