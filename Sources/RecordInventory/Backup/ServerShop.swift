import RecordKitJSON
import RecordKit
import RecordKitSQLite

/// A shop on a Kinto server, read and written as a whole.
struct ServerShop {
    let server: NetworkSession
    let bucket: String
    /// Receives the number of objects read or written so far.
    var progress: (Int) -> Void = { _ in }

    private func list(_ collection: String) -> RequestPath { ShopPath.list(collection, in: bucket) }

    private func path(_ collection: String) -> ListPath { .records(bucket: bucket, collection: collection) }
}

// Reading.
extension ServerShop {
    /// Reads the shop into a copy, as it is at one moment, although tills sell meanwhile.
    ///
    /// The lists are read one after the other. What changed since then is read again until nothing has changed: a
    /// record with its movements, movements without a record, any other collection as a whole. Returns false if there
    /// is no shop.
    func read(into copy: ShopCopy) async throws -> Bool {
        let name = JSONObject.Member(name: "id", value: .string(bucket))
        try copy.database.transaction(.write) { try copy.put(JSONObject([name]), in: .buckets) }
        var versions: [String: Int64] = [:]
        var count = 0
        do {
            versions["records"] = try await version(of: "records")
            let known = try await collections(into: copy)
            // The records last: they show what changed since their version was read.
            for collection in known.filter({ $0 != "records" }) + ["records"] {
                if versions[collection] == nil { versions[collection] = try await version(of: collection) }
                try await readList(collection, into: copy, &count)
            }
            for _ in 0..<100 where try await !readChanges(into: copy, &versions, &count) { return true }
        } catch InventoryError.noShop {
            return false
        }
        throw InventoryError.tooManyConflicts
    }

    /// Reads what changed since some versions. Returns whether anything did.
    private func readChanges(
        into copy: ShopCopy, _ versions: inout [String: Int64], _ count: inout Int
    ) async throws -> Bool {
        var isChanged = false
        var latest = versions["records"]
        var changed: [JSONObject] = []
        try await eachPage(of: list("records"), ["gt_last_modified": "\(latest ?? 0)", "_sort": "last_modified"]) {
            page in
            latest = page.version
            changed += page.items
        }
        versions["records"] = latest
        for object in changed {
            isChanged = true
            guard let id = object["id"]?.string else { continue }
            let sku = object["sku"]?.string ?? SKU(recordID: id)?.text ?? id
            var movements: [JSONObject] = []
            try await eachPage(of: list(Ledger.collection), ["sku": JSONValue.string(sku).text(), "_sort": "id"]) {
                movements += $0.items
            }
            try copy.database.transaction(.write) {
                try copy.remove(id, in: path("records"))
                if object["deleted"] != true { try copy.put(object, in: path("records")) }
                try copy.removeObjects(in: path(Ledger.collection), where: "sku", is: sku)
                for movement in movements { try copy.put(movement, in: path(Ledger.collection)) }
            }
        }
        // Movements without a record, such as the sale of a box. The version of their list says nothing: its anchor has
        // a version far in the future.
        let movements = path(Ledger.collection)
        try await eachPage(of: list(Ledger.collection), ["has_sku": "false", "_sort": "id"]) { page in
            try copy.database.transaction(.write) {
                for object in page.items {
                    if let id = object["id"]?.string, try copy.has(id, in: movements) { continue }
                    isChanged = true
                    try copy.put(object, in: movements)
                }
            }
        }
        // The lock changes with each sale, and says nothing. Movements are read already.
        let own = ["records", Ledger.collection, Ledger.lockCollection]
        for collection in try await collections(into: copy) where !own.contains(collection) {
            let version = try await version(of: collection)
            if version == versions[collection] { continue }
            isChanged = true
            versions[collection] = version
            try copy.database.transaction(.write) { try copy.removeObjects(in: path(collection)) }
            try await readList(collection, into: copy, &count)
        }
        return isChanged
    }

    /// Returns the names of the collections. Reads their own data into a copy, if there is one.
    private func collections(into copy: ShopCopy? = nil) async throws -> [String] {
        var names: [String] = []
        try await eachPage(of: ShopPath.collections(in: bucket), ["_sort": "id"]) { page in
            names += page.items.compactMap { $0["id"]?.string }
            guard let copy else { return }
            try copy.database.transaction(.write) {
                for object in page.items { try copy.put(object, in: .collections(bucket: bucket)) }
            }
        }
        return names
    }

    private func readList(_ collection: String, into copy: ShopCopy, _ count: inout Int) async throws {
        try await eachPage(of: list(collection), ["_sort": "id"]) { page in
            try copy.database.transaction(.write) {
                for object in page.items { try copy.put(object, in: path(collection)) }
            }
            count += page.items.count
            progress(count)
        }
    }

    private func version(of collection: String) async throws -> Int64? {
        try await server.value(for: List<ObjectPage<JSONObject>>(path: list(collection), query: ["_limit": "1"]))
            .version
    }

    private func eachPage(
        of path: RequestPath, _ query: RequestQuery, _ body: (ObjectPage<JSONObject>) throws -> Void
    ) async throws {
        var query = query
        query.add("_limit", 1_000)
        try await server.eachPage(of: List<ObjectPage<JSONObject>>(path: path, query: query)) { page in
            try body(page)
            return true
        }
    }
}

// Writing.
extension ServerShop {
    /// Replaces the shop by the one in a copy. Keeps the permissions of its collections.
    ///
    /// This takes many requests. The lock says so from the first to the last of them: a shop that is restored in part
    /// is not changed by a till.
    func write(_ copy: ShopCopy, batchLimit: Int) async throws {
        try await lockAsHalfRestored()
        let locks = path(Ledger.lockCollection)
        var permissions: [String: JSONValue] = [:]
        for name in try await collections() where name != Ledger.lockCollection {
            let path = ShopPath.collection(name, in: bucket)
            let read = BatchRequest(Get<KintoResponse>(path: path))
            permissions[name] = try await send([read, BatchRequest(.delete, path)])[0].body.last("permissions")?.tree
        }
        var count = 0
        func put(_ objects: [StoredObject], _ path: (String) -> RequestPath, _ permissions: [String: JSONValue] = [:])
            async throws
        {
            if objects.isEmpty { return }
            let requests = objects.map { object in
                // A server then gives this version to the object.
                let version = JSONObject.Member(name: "last_modified", value: .integer(object.version))
                let fields = JSONObject(object.fields.members + [version])
                var body = [JSONObject.Member(name: "data", value: .object(fields))]
                if let own = permissions[object.id] { body.append(JSONObject.Member(name: "permissions", value: own)) }
                return BatchRequest(.put, path(object.id), body: .object(JSONObject(body)))
            }
            try await send(requests)
            count += objects.count
            progress(count)
        }
        let collections = ListPath.collections(bucket: bucket)
        try await copy.eachPortion(of: collections, batchLimit) {
            try await put($0, { ShopPath.collection($0, in: bucket) }, permissions)
        }
        let others = try copy.collections(of: bucket).filter { $0 != Ledger.lockCollection }
        for name in others + [Ledger.lockCollection] {
            try await copy.eachPortion(of: path(name), batchLimit) {
                try await put($0, { ShopPath.object($0, of: name, in: bucket) })
            }
        }
        if try !copy.has(Ledger.lockID, in: locks) {
            try await send([BatchRequest(.delete, ShopPath.lock(in: bucket))])
        }
    }

    /// Writes the lock, and creates the shop if it is missing.
    private func lockAsHalfRestored() async throws {
        let lock = ShopLock(bucket: bucket, ledger: Ledger.halfRestored)
        let parents = [ShopPath.bucket(bucket), ShopPath.collection(Ledger.lockCollection, in: bucket)]
        let results = try await server.value(
            for: Batch(requests: parents.map { BatchRequest(.put, $0, .ifNew, body: .wrapped([:])) } + [lock.request]))
        // The parents may exist, or belong to another account.
        guard results.responses[2].isSuccess else { throw results.responses[2].failure(results.url).withoutLock }
    }

    /// Sends requests at once. Throws if one of them is refused.
    @discardableResult
    private func send(_ requests: [BatchRequest]) async throws -> [KintoResponse] {
        let results = try await server.value(for: Batch(requests: requests))
        for response in results.responses where !response.isSuccess { throw response.failure(results.url) }
        return results.responses
    }
}
