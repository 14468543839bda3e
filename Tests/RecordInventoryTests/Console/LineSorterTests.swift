import TestSupport
import XCTest

@testable import RecordInventory

final class LineSorterTests: TimedTestCase {
    private func sorted(_ records: [Record], by sort: [ListCommand.SortKey], limit: Int?, capacity: Int) throws
        -> [String]
    {
        var sorter = try LineSorter(directions: sort.map(\.isDescending), limit: limit, capacity: capacity)
        for record in records {
            let keys = sort.map { $0.field.value(of: record).sortable }
            try sorter.add(keys, record.sku.text, "text of \(record.sku.text)")
        }
        try sorter.finish()
        var found: [String] = []
        while let next = try sorter.next() {
            XCTAssertEqual(next.text, "text of \(next.id)")
            found.append(next.id)
        }
        return found
    }

    private func records() throws -> [Record] {
        var generator = SeededGenerator(seed: 7)
        let texts = [
            "a", "b", "Z", "e\u{301}", "\u{E9}", "é1", "", "\u{1F3B5}", "\u{FFFD}", "\u{1E69}", "s\u{323}\u{307}",
        ]
        let euro = try Currency("EUR")
        return try (0..<300).map { number in
            var record = Record(
                sku: try SKU("\(texts.randomElement(using: &generator) ?? "") \(number)"),
                artist: texts.randomElement(using: &generator) ?? "", title: "T",
                price: Money(amount: .random(in: 0...99, using: &generator), currency: euro),
                quantity: .random(in: 0...3, using: &generator))
            record.label = Bool.random(using: &generator) ? nil : texts.randomElement(using: &generator)
            record.price.amount *= Bool.random(using: &generator) ? 1 : 1 << 56
            record.sleeveCondition =
                Bool.random(using: &generator) ? nil : SleeveCondition.allCases.randomElement(using: &generator)
            record.mediaCondition = MediaCondition.allCases.randomElement(using: &generator)
            return record
        }
    }

    /// Returns the SKUs in the order of the keys, then of the SKUs. A missing key comes last.
    private func expected(_ records: [Record], by sort: [ListCommand.SortKey]) -> [String] {
        func precedes(_ one: String, _ other: String) -> Bool { one.utf8.lexicographicallyPrecedes(other.utf8) }
        return records.sorted { one, other in
            for key in sort {
                let (a, b) = (key.field.value(of: one).sortable, key.field.value(of: other).sortable)
                if a == b { continue }
                guard let a, let b else { return b == nil }
                return key.isDescending ? precedes(b, a) : precedes(a, b)
            }
            return precedes(one.sku.text, other.sku.text)
        }.map(\.sku.text)
    }

    func testTheOrderIsThatOfTheKeysThenOfTheIDs() throws {
        let records = try records()
        let keys = [RecordField.artist, .label, .price, .quantity, .sleeveCondition, .mediaCondition, .sku].flatMap {
            field in
            [false, true].map { ListCommand.SortKey(field: field, isDescending: $0) }
        }
        for sort in keys.map({ [$0] }) + [[], [keys[2], keys[5]], [keys[9], keys[0], keys[6]]] {
            let expected = expected(records, by: sort)
            XCTAssertEqual(try sorted(records, by: sort, limit: nil, capacity: 20), expected, "\(sort)")
            for limit in [1, 9, 10, 11, 150] {
                let first = try sorted(records, by: sort, limit: limit, capacity: 20)
                XCTAssertEqual(first, Array(expected.prefix(limit)), "\(sort)")
            }
        }
    }

    func testNothingIsSortedToNothing() throws {
        XCTAssertEqual(try sorted([], by: [], limit: nil, capacity: 20), [])
    }
}
