import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

final class InventoryCSVTests: TimedTestCase {
    private func file(of records: [Record]) -> [UInt8] {
        CSVWriter.row(InventoryCSV.header) + records.flatMap { CSVWriter.row(RecordField.texts(of: $0)) }
    }

    func testImportingAnExportGivesTheSameStock() throws {
        var generator = SeededGenerator(seed: 5)
        let texts = [
            "", "= 1", "=1+1", "@x", "+1", "-1", "a,b", "\"", "é", "見本盤", "a\r\nb", "a\rb", "a\tb", "null", "7\" EP",
        ]
        let currencies = try ["EUR", "JPY", "KWD", "CLF"].map { try Currency($0) }
        func text() -> String? { Bool.random(using: &generator) ? texts.randomElement(using: &generator) : nil }
        let records = try (0..<300).map { index in
            try Record(
                sku: SKU("\(texts[4 + index % 6])-\(index)"), artist: "\(text() ?? "")A", title: "T\(text() ?? "")",
                label: text(), catalogueNumber: text(), format: text(), year: index % 3 == 0 ? 1960 + index % 60 : nil,
                country: text(), barcode: index % 2 == 0 ? Barcode("4006381333931") : nil,
                mediaCondition: MediaCondition.allCases.randomElement(using: &generator),
                sleeveCondition: index % 5 == 0 ? nil : SleeveCondition.allCases.randomElement(using: &generator),
                price: Money(
                    amount: Int64.random(in: 0...100_000_000, using: &generator), currency: currencies[index % 4]),
                quantity: Status.allCases[index % 3] == .sold ? 0 : index, status: Status.allCases[index % 3],
                location: text(), notes: text(),
                discogsListing: index % 7 == 0 ? index + 1 : nil, discogsRelease: nil,
                genre: text(), cost: index % 4 == 0 ? Int64(index) : nil, consignor: text()?.personName)
        }
        let folder = try TemporaryFolder()
        var reader = try ImportReader(InputFile(folder.write(file(of: records))))
        for record in records {
            let row = try XCTUnwrap(reader.next())
            XCTAssertEqual(try row.get().record.json.text(), record.json.text())
        }
        XCTAssertNil(try reader.next())
        XCTAssertEqual(reader.format, .csv)
        XCTAssertEqual(reader.fractionRead, 1)
    }
}
