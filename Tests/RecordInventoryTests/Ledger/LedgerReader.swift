import RecordKitJSON
import CSQLite
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Compares records with their movements, without any code of the tool.
struct LedgerReader {
    /// A list of objects, each as Kinto returns it.
    typealias List = [[String: Any]]

    /// Returns what each record has more than its movements say, by SKU. Leaves out what agrees.
    static func differences(_ records: List, _ movements: List) -> [String: Int] {
        var differences: [String: Int] = [:]
        for record in records {
            if let sku = record["sku"] as? String, let quantity = record["quantity"] as? Int {
                differences[sku, default: 0] += quantity
            }
        }
        let neutral = ["edit", "reservation", "release"]
        for movement in movements {
            guard let sku = movement["sku"] as? String, let quantity = movement["quantity"] as? Int,
                let kind = movement["kind"] as? String, !neutral.contains(kind)
            else { continue }
            differences[sku, default: 0] -= quantity
        }
        return differences.filter { $0.value != 0 }
    }

    /// Reads the file of an embedded store, all at one moment.
    static func differences(inStore file: String, bucket: String) throws -> [String: Int] {
        let lists = try lists(inStore: file, bucket: bucket)
        return differences(lists["records"] ?? [], lists["movements"] ?? [])
    }

    /// Reads the collections of an embedded store by their names, all at one moment. The objects have no ids.
    static func lists(inStore file: String, bucket: String) throws -> [String: List] {
        var database: OpaquePointer?
        defer { sqlite3_close_v2(database) }
        guard sqlite3_open_v2(file, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { throw Unreadable() }
        let sql = """
            SELECT path, data FROM objects JOIN lists ON list = number
            WHERE deleted = 0 AND path LIKE '/buckets/\(bucket)/collections/%/records'
            """
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { throw Unreadable() }
        defer { sqlite3_finalize(statement) }
        var lists: [String: List] = [:]
        while sqlite3_step(statement) == SQLITE_ROW {
            let collection = String(cString: sqlite3_column_text(statement, 0)).split(separator: "/")[3]
            let data = Data(String(cString: sqlite3_column_text(statement, 1)).utf8)
            let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            lists[String(collection), default: []].append(object ?? [:])
        }
        return lists
    }

    /// Reads the shop of a Kinto server. The lists are read one after the other, while the server may still be at the
    /// last request of a process that was killed. So what differs once is read again.
    static func differences(
        onServer address: String, _ authorization: String, bucket: String, expected: ([String: Int]) -> Bool
    ) async throws -> [String: Int] {
        var found: [String: Int] = [:]
        for _ in 0..<20 {
            let shop = "\(address)/buckets/\(bucket)/collections"
            let movements = try await list("\(shop)/movements/records?_sort=id", authorization)
            let records = try await list("\(shop)/records/records?_sort=id", authorization)
            found = differences(records, movements)
            if expected(found) { break }
        }
        return found
    }

    static func list(_ address: String, _ authorization: String) async throws -> List {
        var list: List = []
        var next: String? = address
        while let address = next, let url = URL(string: address) {
            var request = URLRequest(url: url)
            request.setValue(authorization, forHTTPHeaderField: "Authorization")
            let (data, response) = try await URLSession.shared.data(for: request)
            guard let response = response as? HTTPURLResponse else { throw Unreadable() }
            // The shop does not exist yet.
            if [403, 404].contains(response.statusCode) { return list }
            let body = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            guard response.statusCode == 200, let page = body?["data"] as? List else { throw Unreadable() }
            list += page
            next = response.value(forHTTPHeaderField: "Next-Page")
        }
        return list
    }

    struct Unreadable: Error {}
}

extension LedgerReader {
    /// Compares the closes with the ledger, in other words than the tool. Each float is 50.00.
    @discardableResult
    static func compareClosings(_ lists: [String: List]) throws -> (sales: Int, commands: Int, closes: Int) {
        var ledger: [String: Int] = [:]
        var made: [String: Set<String>] = [:]
        var sales: Set<String> = []
        for movement in lists["movements"] ?? [] {
            guard let kind = movement["kind"] as? String, ["sale", "return", "trade_in"].contains(kind) else {
                continue
            }
            let till = try XCTUnwrap(movement["till"] as? String)
            let command = try XCTUnwrap(movement["command"] as? String)
            let price = try XCTUnwrap(movement["price"] as? [String: Any])
            let copies = -(try XCTUnwrap(movement["quantity"] as? Int))
            let discount = movement["discount"] as? Int ?? 0
            let key = "\(till) \(movement["payment"] as? String ?? "-")"
            ledger[key, default: 0] += copies * (try XCTUnwrap(price["amount"] as? Int)) - copies.signum() * discount
            made[till, default: []].insert(command)
            if kind == "sale" { sales.insert(command) }
        }
        var closed: [String: Int] = [:]
        var expectedCash: [String: Int] = [:]
        var counted: [String: [String]] = [:]
        var floats: [String] = []
        let closings = lists["closings"] ?? []
        for (till, closings) in Dictionary(grouping: closings, by: { $0["till"] as? String ?? "" }) {
            let numbers = closings.compactMap { $0["number"] as? Int }.sorted()
            XCTAssertEqual(numbers, Array(1...max(1, closings.count)), "\(till) has numbers without gaps")
            for closing in closings {
                counted[till, default: []] += closing["commands"] as? [String] ?? []
                floats += closing["floats"] as? [String] ?? []
                for sum in closing["sums"] as? List ?? [] {
                    let key = "\(till) \(sum["payment"] as? String ?? "-")"
                    closed[key, default: 0] += try XCTUnwrap(sum["total"] as? Int)
                }
                for cash in closing["cash"] as? List ?? [] {
                    expectedCash[till, default: 0] += try XCTUnwrap(cash["expected"] as? Int)
                }
            }
        }
        for (till, commands) in made {
            XCTAssertEqual(counted[till]?.count, commands.count, "\(till): no command is counted twice")
            XCTAssertEqual(Set(counted[till] ?? []), commands, "\(till): every command is counted")
        }
        XCTAssertEqual(closed, ledger, "what was closed is what the ledger has")
        let cash = lists["cash"] ?? []
        XCTAssertEqual(floats.count, cash.count)
        XCTAssertEqual(Set(floats).count, floats.count, "a float is counted once")
        let paid = Dictionary(grouping: cash, by: { $0["till"] as? String ?? "" }).mapValues { $0.count * 5_000 }
        for till in made.keys {
            XCTAssertEqual(expectedCash[till] ?? 0, (paid[till] ?? 0) + (ledger["\(till) cash"] ?? 0), till)
        }
        return (sales.count, made.values.map(\.count).reduce(0, +), closings.count)
    }
}
