import RecordKit

/// What a change needs before it is planned, read in one exchange.
///
/// Records are read before movements. So if the snapshot lacks a command's movement, the command changed none of its
/// records.
struct StockSnapshot: Sendable {
    /// What a code stands for.
    enum Found: Sendable {
        case record(StoredRecord)
        /// The records with a barcode, perhaps none.
        case copies([StoredRecord], unreadable: [Unreadable])
        case failure(InventoryError)
    }

    var found: [SKU: Found] = [:]
    /// The movements of the command that was named, or the movement that was.
    var named: [Movement] = []
    /// The sales that copies may come back from, the newest first.
    var sales: [Movement] = []
    /// What came back: the movements that take back those that were asked for, in part or as a whole, and were not
    /// taken back themselves.
    var returns: [Movement] = []
    /// How many movements ever took each sale back, or put it into force again.
    var returnCounts: [String: Int] = [:]
    /// The deletions of the records, and the openings that took some back, if they were asked for.
    var deletions: [Movement] = []
    /// The settings of the shop, if they were asked for.
    var shop = ShopSettings()
    /// The SKUs of records that codes without a record are in capital letters, or with zeros before them.
    var capitals: [SKU: SKU] = [:]
    var lock = Access()
    /// The object that is later than every movement.
    var anchor = Access()
    /// Whether movements were read too, which have to be as new as the records.
    var knowsMovements = false

    /// Creates a snapshot of records that were read before.
    init(_ records: [StoredRecord] = [], returns: [Movement] = []) {
        for stored in records { found[stored.record.sku] = .record(stored) }
        self.returns = returns
    }

    /// Adds what came back, each once.
    mutating func add(_ added: Returns) {
        let known = Set(returns.map(\.id))
        returns += added.standing.filter { !known.contains($0.id) }
        returnCounts.merge(added.counts) { max($0, $1) }
    }

    /// Returns a version for a movement that changes no record. Only one that takes back this state of its sale can
    /// have it (FNV-1a).
    func version(of sale: String) -> Version {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(sale)-\(returnCounts[sale] ?? 0)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Version(Int64(hash % 999_999_999_999) + 1)
    }

    /// Returns the record with a SKU, also if it was found by its barcode.
    func record(_ sku: SKU) throws(InventoryError) -> StoredRecord {
        switch found[sku] {
        case .record(let stored): return stored
        case .failure(let error): throw error
        case .copies, nil: break
        }
        for case .copies(let copies, _) in found.values {
            if let stored = copies.first(where: { $0.record.sku == sku }) { return stored }
        }
        for case .record(let stored) in found.values where stored.record.sku == sku { return stored }
        throw .notFound
    }
}

extension StockSnapshot {
    /// Returns the snapshot with the current records of refused changes, or `nil` if it has to be read again.
    func updated(by results: [ChangeResult]) -> StockSnapshot? {
        guard !knowsMovements else { return nil }
        var snapshot = self
        var isNewer = false
        for case .failure(let error) in results {
            switch error {
            case .conflict(let current?):
                guard case .record = found[current.record.sku] else { return nil }
                snapshot.found[current.record.sku] = .record(current)
                isNewer = true
            case .superseded: break
            default: return nil
            }
        }
        return isNewer ? snapshot : nil
    }

    /// Returns what is known of one record: its deletions, and what was taken back.
    func each(_ sku: SKU) throws(InventoryError) -> RecordLook {
        let history = (returns + deletions).filter { $0.sku == sku }
        switch found[sku] {
        case .record(let stored): return RecordLook(sku: sku, found: .success(stored), history: history)
        case .failure(.unreadable(let record)): return RecordLook(sku: sku, found: .failure(record), history: history)
        case .failure(.notFound), .failure(.noShop): return RecordLook(sku: sku, found: nil, history: history)
        case .failure(let error): throw error
        case .copies, nil: throw .notFound
        }
    }

    /// Returns the record to delete, or `nil` if it cannot be read, and its version.
    func deletable(_ sku: SKU) throws(InventoryError) -> (stored: StoredRecord?, version: Version) {
        do {
            let stored = try record(sku)
            return (stored, stored.version)
        } catch {
            guard case .unreadable(let record) = error, let version = record.version else { throw error }
            return (nil, version)
        }
    }
}

extension Stock {
    /// Reads what a change needs.
    ///
    /// - Parameters:
    ///   - codes: SKUs, or barcodes as tills scan them.
    ///   - skus: SKUs that stand for nothing else.
    ///   - name: The id of a command or of a movement.
    ///   - undoing: The ids of movements, for those that take them back, and for the deletions of the records. `nil`
    ///     reads neither.
    ///   - settings: Whether the settings of the shop are read.
    /// - Throws: ``InventoryError/alreadyMade(_:isChanged:)`` if the command of the source was made.
    func look(
        at codes: [SKU] = [], skus: [SKU] = [], naming name: String? = nil, undoing: [String]? = nil,
        settings: Bool = false
    ) async throws -> StockSnapshot {
        var batch = ReadBatch()
        // Records come late, because a change between their look and the batch is a conflict. Movements come after
        // them.
        let shop = settings ? batch.add(shopSettings) : nil
        let lock = batch.add(Get<Access>(path: ShopPath.lock(in: bucket)))
        let anchor = batch.add(Get<Access>(path: ShopPath.anchor(in: bucket)))
        let codes = Set(codes).sorted()
        let records = (codes + skus).map { batch.add(Get<StoredRecord>(path: ShopPath.record($0, in: bucket))) }
        let scans = codes.map { code in
            (try? Barcode(code.text)).map { batch.add(list(RecordFilter(conditions: [.barcode($0)]))) }
        }
        let filters = (undoing ?? []).chunks(of: MovementFilter.idLimit).map { MovementFilter(undone: Array($0)) }
        let lists = filters.map { batch.add(list($0)) }
        let gone = undoing == nil || records.isEmpty ? nil : MovementFilter.ends(of: codes + skus)
        let ends = gone.map { batch.add(list($0)) }
        let named = name.map { batch.add(list(MovementFilter(command: $0))) }
        let one = name.flatMap { $0.isKintoID ? batch.add(movement($0)) : nil }
        let command = source.isNewCommand ? nil : source.command
        let own = command.map { batch.add(list(.made(by: $0))) }
        let drawer = command.map { batch.add(drawerMove($0)) }
        let results = try await read(batch)

        if let command, let own, let drawer {
            let isDrawerMove = if case .success = results.result(drawer) { true } else { false }
            if try isDrawerMove || results.found(own)?.isEmpty == false {
                throw InventoryError.alreadyMade(command, isChanged: false)
            }
        }
        var look = StockSnapshot()
        look.knowsMovements = name != nil || undoing != nil
        for (index, sku) in (codes + skus).enumerated() {
            switch results.result(records[index]) {
            case .success(let stored): look.found[sku] = .record(stored)
            case .failure(.notFound) where index < codes.count && scans[index] != nil:
                if let scan = scans[index] { look.found[sku] = try await copies(results.result(scan).get(), sku) }
            case .failure(let error): look.found[sku] = .failure(error)
            }
        }
        (look.lock, look.anchor) = (try results.access(lock), try results.access(anchor))
        if let name, let named {
            look.named = try await listed(results.found(named), MovementFilter(command: name))
            if look.named.isEmpty, let one { look.named = try results.found(one).map { [$0] } ?? [] }
        }
        // Without a shop they are the usual ones.
        if let shop { look.shop = try results.found(shop) ?? ShopSettings() }
        for (filter, list) in zip(filters, lists) {
            look.add(try await returns(listed(results.found(list), filter)))
        }
        if let gone, let ends { look.deletions = try await listed(results.found(ends), gone) }
        return look
    }

    /// Returns the movements of a page. Reads the list again if it has more.
    private func listed(_ page: MovementPage?, _ filter: MovementFilter) async throws -> [Movement] {
        guard let page else { return [] }
        if page.next != nil { return try await movements(filter) }
        return try page.allItems().inOrder
    }

    /// Returns the records with a barcode. Reads the list again if it has more.
    private func copies(_ page: RecordPage, _ code: SKU) async throws -> StockSnapshot.Found {
        guard page.next != nil, let barcode = try? Barcode(code.text) else {
            return .copies(page.items, unreadable: page.unreadable)
        }
        var copies: [StoredRecord] = []
        var unreadable: [Unreadable] = []
        try await eachPage(RecordFilter(conditions: [.barcode(barcode)])) { page in
            copies += page.items
            unreadable += page.unreadable
            return true
        }
        return .copies(copies, unreadable: unreadable)
    }

    /// Asks behind the lock which movements were made: so it waits for a change that is under way.
    func made(_ ids: [String]) async throws -> [Movement?] {
        let requests = ids.map { movement($0) }
        let results = try await server.value(
            for: Batch(requests: [lock.request] + requests.map { BatchRequest($0) }, isRead: true))
        return try requests.enumerated().map { index, request in try results.result(of: request, at: index + 1).found()
        }
    }

    /// Sends a batch of requests that read, in parts if the server takes fewer at once.
    private func read(_ batch: ReadBatch) async throws(InventoryError) -> ReadBatch.Results {
        var parts: [BatchResults] = []
        var size = ServerSettings.usualBatchLimit
        var rest = batch.requests[...]
        while !rest.isEmpty {
            let part = rest.prefix(size)
            do {
                parts.append(try await server.value(for: Batch(requests: Array(part), isRead: true)))
            } catch {
                switch error {
                case .refused(let problem) where problem.code == 400 && size == ServerSettings.usualBatchLimit:
                    let limit = max(1, try await settings().batchLimit)
                    guard limit < size else { throw error }
                    size = limit
                    continue
                default: throw error
                }
            }
            rest = rest.dropFirst(part.count)
        }
        return ReadBatch.Results(parts: parts)
    }
}

/// Requests that read, to be sent as one.
private struct ReadBatch {
    /// The place of a request in the batch.
    struct Place<Request: InventoryEndpoint> where Request.ValueType: KintoReadable {
        let request: Request
        let index: Int
    }

    private(set) var requests: [BatchRequest] = []

    mutating func add<Request: InventoryEndpoint>(_ request: Request) -> Place<Request> {
        requests.append(BatchRequest(request))
        return Place(request: request, index: requests.count - 1)
    }

    struct Results {
        let parts: [BatchResults]

        /// Reads the value of a request.
        func result<Request: InventoryEndpoint>(
            _ place: Place<Request>
        ) -> Result<Request.ValueType, InventoryError> {
            var index = place.index
            for part in parts {
                if index < part.responses.count { return part.result(of: place.request, at: index) }
                index -= part.responses.count
            }
            return .failure(.notFound)
        }

        /// Returns `nil` if the object or the shop does not exist.
        func found<Request: InventoryEndpoint>(
            _ place: Place<Request>
        ) throws(InventoryError) -> Request.ValueType? {
            try result(place).found()
        }

        /// Returns what is known of an object that the account may not be allowed to read.
        func access(_ place: Place<Get<Access>>) throws(InventoryError) -> Access {
            if case .failure(.notAllowed) = result(place) { return Access() }
            return try found(place) ?? Access()
        }
    }
}
