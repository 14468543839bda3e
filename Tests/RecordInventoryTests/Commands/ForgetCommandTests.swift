import RecordKit
import RecordKitJSON
import RecordKitSQLite
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

final class ForgetCommandTests: TimedTestCase {
    /// Another till has the store open, so SQLite keeps its log.
    func testTheNameIsInNoByteOfTheFiles() async throws {
        let till = try Till()
        let rows = (0..<300).map { "\($0),A,T,10,EUR,2" }.joined(separator: "\n")
        _ = await till.type("import", try till.file(rows, header: "sku,artist,title,price,currency,quantity"))
        let open = try SQLiteDatabase(file: till.folder.path("stock.sqlite"))
        _ = try open.statement("SELECT count(*) FROM objects").first { $0.integer(0) }
        for sku in stride(from: 0, to: 300, by: 15) {
            _ = await till.type("reserve", "\(sku)", "--for", "Zebedee")
            _ = await till.type("edit", "\(sku)", "--notes", String(repeating: "note", count: sku))
        }
        for sku in [0, 15, 30] { _ = await till.type("delete", "\(sku)", "--yes") }
        XCTAssertTrue(try files(till).contains { $0.range(of: Data("Zebedee".utf8)) != nil })
        await till.type("forget", "Zebedee", "--yes").expect(.done)
        let found = try files(till).map { $0.range(of: Data("Zebedee".utf8)) }
        XCTAssertEqual(found, [nil, nil, nil], "the store, its log and the index of the log")
        withExtendedLifetime(open) {}
    }

    /// A batch has the lock, and two requests for each movement.
    func testABatchHasAtMost25RequestsAndEachIsMade() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "20")
        for _ in 0..<15 { _ = await till.type("reserve", "A", "--for", "Zebedee") }
        let sizes = Kept<[Int]>([])
        let refusing = CannedTransport { call throws(NetworkError) in
            var response = try await till.transport.exchange(call)
            guard case .data(let data)? = call.body?.content,
                String(decoding: data, as: UTF8.self).contains("forgotten"),
                let parts = try? JSONValue(reading: data).object?["requests"]?.array, parts.count > 3
            else { return response }
            if sizes.change({ sizes in
                sizes.append(parts.count); return sizes.count > 1
            }) {
                let body = String(decoding: response.body, as: UTF8.self)
                response.content = .data(Data(body.replacing(/"status":201/, with: #""status":503"#).utf8))
            }
            return response
        }
        await till.type(["forget", "Zebedee", "--yes"], over: refusing).expect(.failed)
        XCTAssertEqual(sizes.change { $0.max() }, 25)
        await till.type("forget", "Zebedee", "--yes").expect(.notFound)
    }

    private func files(_ till: Till) throws -> [Data] {
        try till.folder.names.filter { $0.hasPrefix("stock.sqlite") }.map {
            try Data(contentsOf: till.folder.url.appending(path: $0))
        }
    }
}
