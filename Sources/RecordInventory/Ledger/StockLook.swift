import Foundation
import RecordKit
import RecordKitInterceptors

/// What a change has to know before it is planned, read in one exchange.
///
/// Records are read before movements. So a command whose movement is missing has not changed these versions of the
/// records.
struct StockLook: Sendable {
    /// What a code stands for.
    enum Found: Sendable {
        case record(StoredRecord)
        /// The records with a barcode, perhaps none.
        case copies([StoredRecord], unreadable: [UnreadableRecord])
        case failure(InventoryError)
    }

    fileprivate(set) var found: [SKU: Found] = [:]
    /// The movements of the command that was named, or the movement that was.
    fileprivate(set) var named: [Movement] = []
    /// The movements that take back what was asked for, in part or as a whole, and were not taken back themselves.
    fileprivate(set) var undoing: [Movement] = []
    /// The kinds of payment that the shop has added.
    fileprivate(set) var payments: PaymentKinds?
    fileprivate(set) var ledger = LedgerState()
    /// Whether the command that looks was made already.
    fileprivate(set) var isMade = false

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

    func records(_ skus: [SKU]) throws(InventoryError) -> [StoredRecord] {
        var records: [StoredRecord] = []
        for sku in skus { records.append(try record(sku)) }
        return records
    }
}

extension StockLook {
    /// Returns the record to delete, or `nil` if it cannot be read, and its version.
    func deletable(_ sku: SKU) throws(InventoryError) -> (record: Record?, version: Version) {
        do {
            let stored = try record(sku)
            return (stored.record, stored.version)
        } catch {
            guard case .unreadable(let record) = error, let version = record.version else { throw error }
            return (nil, version)
        }
    }
}

/// What is known of the lock and the ledger.
struct LedgerState: Sendable {
    var lock = AccessLook.State()
    /// The object that is later than every movement.
    var anchor = AccessLook.State()
}

extension Stock {
    /// Reads what a change has to know.
    ///
    /// - Parameters:
    ///   - codes: SKUs, or barcodes as tills scan them.
    ///   - skus: SKUs that stand for nothing else.
    ///   - name: The id of a command or of a movement.
    ///   - undoing: The ids of movements, for those that take them back.
    ///   - payments: Whether the kinds of payment are read.
    func look(
        at codes: [SKU] = [], skus: [SKU] = [], naming name: String? = nil, undoing: [String] = [],
        payments: Bool = false
    ) async throws -> StockLook {
        var batch = ReadBatch()
        let codes = Set(codes).sorted()
        let fetches = (codes + skus).map { batch.add(RecordService.One(sku: $0, bucket: bucket)) }
        let scans = codes.map { code in
            (try? Barcode(code.text)).map { barcode in
                let filter = RecordFilter(conditions: [.barcode(barcode)])
                return batch.add(RecordService.Many(query: filter.query, bucket: bucket))
            }
        }
        let takers = undoing.chunks(of: MovementFilter.idLimit).map { MovementFilter(undone: Array($0)) }
        let taken = takers.map { batch.add(LedgerService.Many(query: $0.query, bucket: bucket)) }
        let list = name.map { batch.add(LedgerService.Many(query: MovementFilter(command: $0).query, bucket: bucket)) }
        let one = name.flatMap { $0.isKintoID ? batch.add(LedgerService.One(id: $0, bucket: bucket)) : nil }
        let own = source.command.map {
            batch.add(LedgerService.One(id: Movement.id(1, of: $0), bucket: bucket))
        }
        let kinds = payments ? batch.add(PaymentService.fetch(in: bucket)) : nil
        let lock = batch.add(AccessLook(path: ShopLock.path(in: bucket)))
        let anchor = batch.add(AccessLook(path: ShopPath.object(Ledger.anchorID, of: Ledger.collection, in: bucket)))
        let answers = try await read(batch)

        var look = StockLook()
        for (index, sku) in (codes + skus).enumerated() {
            switch answers.result(fetches[index]) {
            case .success(let stored): look.found[sku] = .record(stored)
            case .failure(.notFound) where index < codes.count && scans[index] != nil:
                if let scan = scans[index] { look.found[sku] = try await copies(answers.result(scan).get(), sku) }
            case .failure(let error): look.found[sku] = .failure(error)
            }
        }
        look.ledger = LedgerState(lock: try answers.result(lock).get(), anchor: try answers.result(anchor).get())
        if let own { look.isMade = try answers.found(own) != nil }
        if let name, let list {
            look.named = try await listed(answers.found(list), MovementFilter(command: name))
            if look.named.isEmpty, let one { look.named = try answers.found(one).map { [$0] } ?? [] }
        }
        if let kinds { look.payments = try answers.result(kinds).get() }
        for (filter, list) in zip(takers, taken) {
            look.undoing += try await listed(answers.found(list), filter)
        }
        look.undoing = try await standing(look.undoing)
        return look
    }

    /// Returns the movements of a page. Reads the list again if it has more.
    private func listed(_ page: MovementPage?, _ filter: MovementFilter) async throws -> [Movement] {
        guard let page else { return [] }
        if page.next != nil { return try await movements(filter) }
        if let error = page.unreadable.first { throw InventoryError.unreadableMovement(error) }
        return page.movements.inOrder
    }

    /// Returns the records with a barcode. Reads the list again if it has more.
    private func copies(_ page: RecordPage, _ code: SKU) async throws -> StockLook.Found {
        guard page.next != nil, let barcode = try? Barcode(code.text) else {
            return .copies(page.records, unreadable: page.unreadable)
        }
        var copies: [StoredRecord] = []
        var unreadable: [UnreadableRecord] = []
        try await eachPage(RecordFilter(conditions: [.barcode(barcode)])) { page in
            copies += page.records
            unreadable += page.unreadable
            return true
        }
        return .copies(copies, unreadable: unreadable)
    }

    /// Asks behind the lock which movements were made: so it waits for a change that is under way.
    func made(_ ids: [String]) async throws -> [Movement?] {
        var batch = ReadBatch()
        let places = ids.map { batch.add(LedgerService.One(id: $0, bucket: bucket)) }
        let lock = ShopLock.json(in: bucket, isComplete: isLedgerComplete)
        let responses = try await server.value(for: ReadService(lock: lock, paths: batch.paths))
        let answers = ReadBatch.Answers(responses: responses)
        return try places.map { place in
            if case .failure(.notFound) = answers.result(place) { return nil }
            return try answers.result(place).get()
        }
    }

    /// Sends a batch of GETs, in parts if the server takes fewer at once.
    private func read(_ batch: ReadBatch) async throws(InventoryError) -> ReadBatch.Answers {
        var responses: [NetworkResponse] = []
        // Every server accepts 25, unless it was set lower.
        var size = 25
        var rest = batch.paths[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(size))
            do {
                responses += try await server.value(for: ReadService(paths: part))
            } catch {
                switch error {
                case .refused(let problem) where problem.code == 400 && size == 25:
                    size = max(1, try await settings().batchLimit)
                    continue
                default: throw error
                }
            }
            rest = rest.dropFirst(part.count)
        }
        return ReadBatch.Answers(responses: responses)
    }
}

/// Requests that read, to be sent as one.
private struct ReadBatch {
    /// The place of a request in the batch.
    struct Place<Request: InventoryEndpoint> {
        let request: Request
        let index: Int
    }

    private(set) var paths: [String] = []

    mutating func add<Request: InventoryEndpoint>(_ request: Request) -> Place<Request> {
        let path = request.path.encodedForBatch
        let query: RequestQuery = request.query
        let encoded = query.encoded
        let separator = path.hasPrefix("/") ? "" : "/"
        paths.append(separator + path + (encoded.isEmpty ? "" : "?" + encoded))
        return Place(request: request, index: paths.count - 1)
    }

    struct Answers {
        let responses: [NetworkResponse]

        /// Reads the response to a request as if it had come alone.
        func result<Request: InventoryEndpoint>(
            _ place: Place<Request>
        ) -> Result<Request.ValueType, InventoryError> {
            place.request.handleResponse(responses[place.index])
        }

        /// Returns `nil` if the object or the shop does not exist.
        func found<Request: InventoryEndpoint>(
            _ place: Place<Request>
        ) throws(InventoryError) -> Request.ValueType? {
            switch result(place) {
            case .success(let value): return value
            case .failure(.notFound), .failure(.noShop): return nil
            case .failure(let error): throw error
            }
        }
    }
}

/// A batch of GETs. Changes nothing but the lock, so it may be repeated. The environment is the server.
private struct ReadService: InventoryEndpoint {
    typealias ValueType = [NetworkResponse]

    /// The request for the lock, to wait for a change that is under way.
    var lock: JSONValue?
    let paths: [String]

    var path: RequestPath { "batch" }
    var method: HTTPMethod { .post }
    var options: RequestOptions { RequestOptions(retry: .always) }

    var body: (any NetworkEncodable)? {
        let requests = paths.map { path -> JSONValue in ["method": "GET", "path": .string(path)] }
        return ["requests": .array([lock].compactMap(\.self) + requests)] as JSONValue
    }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            let all = try BatchedResponse.all(in: response, count: paths.count + (lock == nil ? 0 : 1))
            return all.suffix(paths.count).map { answer in
                NetworkResponse(
                    statusCode: answer.status, headers: answer.headers, body: Data(JSONWriter.bytes(answer.body)),
                    url: response.url)
            }
        }
    }
}
