import TestSupport
import XCTest

@testable import RecordInventory

final class CSVReaderTests: TimedTestCase {
    private func rows(_ text: String, chunkSize: Int = 65_536) throws -> [CSVRow] {
        let folder = try TemporaryFolder()
        var reader = try CSVReader(InputFile(folder.write(text.utf8), chunkSize: chunkSize))
        var rows: [CSVRow] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    private func cells(_ text: String, chunkSize: Int = 65_536) throws -> [[String]] {
        try rows(text, chunkSize: chunkSize).map { row in (0..<row.count).map { row[$0] } }
    }

    func testQuotesAndLineBreaksInCells() throws {
        let text = "a,b\r\n\"1, \"\"x\"\"\",\"two\r\nlines\"\r\n7\" Single,=1+1"
        for chunkSize in [1, 2, 3, 5, 65_536] {
            XCTAssertEqual(
                try cells(text, chunkSize: chunkSize),
                [["a", "b"], ["1, \"x\"", "two\r\nlines"], ["7\" Single", "=1+1"]], "chunks of \(chunkSize)")
        }
    }

    func testTheDelimiterMayBeNamedAboveTheHeader() throws {
        for end in ["\n", "\r\n", "\r"] {
            for chunkSize in [1, 6, 65_536] {
                let rows = try rows("sep=;\(end)a;b,c,d\(end)1;2", chunkSize: chunkSize)
                XCTAssertEqual(rows.map(\.number), [1, 2])
                XCTAssertEqual(rows.map { [$0[0], $0[1]] }, [["a", "b,c,d"], ["1", "2"]])
            }
        }
        XCTAssertEqual(try cells("sep=|\na|b"), [["a", "b"]])
        for first in ["\"sep=;\"", "SEP=;", "\"Sep=;\""] {
            for end in ["\n", "\r\n", "\r"] {
                XCTAssertEqual(try cells("\(first)\(end)a;b,c,d\(end)1;2"), [["a", "b,c,d"], ["1", "2"]], first)
            }
        }
        XCTAssertEqual(try cells("a|b\n1|2,3"), [["a", "b"], ["1", "2,3"]])
        XCTAssertEqual(try cells("\"sep=\"\n1"), [["sep="], ["1"]])
        XCTAssertEqual(try cells("sep=,b\n1,2"), [["sep=", "b"], ["1", "2"]])
        XCTAssertEqual(try cells("sep=;"), [["sep=", ""]])
    }

    func testEveryLineEndCountsOnce() throws {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a,b", "1,2", "", "3,", "\"x\(end)y\",4", "5,6"].joined(separator: end)
            for chunkSize in [1, 2, 65_536] {
                for tail in ["", end] {
                    let rows = try rows(text + tail, chunkSize: chunkSize)
                    XCTAssertEqual(rows.map(\.number), [1, 2, 4, 5, 6])
                    XCTAssertEqual(rows.map(\.count), [2, 2, 2, 2, 2])
                    XCTAssertEqual(rows[3][0], "x\(end)y")
                }
            }
        }
    }

    func testAnEmptyCellAndAnEmptyTextAreTwoThings() throws {
        let rows = try rows("a,b,c\n,\"\",\n\"\",,\"\"")
        XCTAssertEqual((0..<3).map { rows[1].isQuoted($0) }, [false, true, false])
        XCTAssertEqual((0..<3).map { rows[2].isQuoted($0) }, [true, false, true])
        let last = try self.rows("a,b\n\"x\",")[1]
        XCTAssertEqual([last.isQuoted(0), last.isQuoted(1)], [true, false])
        XCTAssertTrue((0..<3).allSatisfy { rows[1].isEmpty($0) && rows[2].isEmpty($0) })
    }

    func testBlankRowsArePassedOver() throws {
        XCTAssertEqual(try rows("\n\na,b\n,\n \t,  \n\"\",\n").map(\.number), [3, 6])
        XCTAssertEqual(try rows("").count, 0)
        XCTAssertEqual(try rows("\n\n").count, 0)
        XCTAssertEqual(try rows("\u{FEFF}").count, 0)
    }

    func testByteOrderMarkIsNoText() throws {
        for chunkSize in [1, 2, 3, 4, 65_536] {
            XCTAssertEqual(try cells("\u{FEFF}\"a\",b\n1,2", chunkSize: chunkSize), [["a", "b"], ["1", "2"]])
        }
    }

    func testDelimiterIsTheOneThatTheFirstRowHasMostOf() throws {
        XCTAssertEqual(try cells("a;b;c\n1,5;2;3"), [["a", "b", "c"], ["1,5", "2", "3"]])
        XCTAssertEqual(try cells("a\tb\n1;2\t3"), [["a", "b"], ["1;2", "3"]])
        XCTAssertEqual(try cells("\"a;b;c;d\",e,f\n1,2,3"), [["a;b;c;d", "e", "f"], ["1", "2", "3"]])
        XCTAssertEqual(try cells("a\n1,2;3"), [["a"], ["1", "2;3"]])
        for chunkSize in [1, 65_536] {
            XCTAssertEqual(try cells("\r\n\na;b\n1,5;2", chunkSize: chunkSize), [["a", "b"], ["1,5", "2"]])
        }
    }

    func testAnUnterminatedQuoteIsAProblemOfItsRow() throws {
        let rows = try rows("a,b\n1,2\nx,\"3\n4,5\n")
        XCTAssertEqual(rows.map(\.problem), [nil, nil, .unterminatedQuote])
        XCTAssertEqual(rows[2].number, 3)
        XCTAssertEqual(rows[2][0], "x")
    }

    func testTextAfterAQuoteIsAProblemOfItsRowOnly() throws {
        let rows = try rows("a,b\n\"1\"x,2\n3,4\n")
        XCTAssertEqual(rows.map(\.problem), [nil, .textAfterQuote, nil])
        XCTAssertEqual(rows[2][1], "4")
    }

    func testHugeRowsAreDroppedAndTheNextOneRead() throws {
        let large = String(repeating: "x", count: CSVRow.maximumSize)
        let rows = try rows(
            "a,b\n\(large)y,2\n3,4\n\(String(repeating: ",", count: 5_000))z\n5,6\n1,\(large.dropLast())\n")
        XCTAssertEqual(rows.map(\.problem), [nil, .tooLarge, nil, .tooLarge, nil, nil])
        XCTAssertEqual(rows.map(\.number), [1, 2, 3, 4, 5, 6])
        XCTAssertEqual(rows[4][0], "5")
    }

    func testTheOutputOfTheWriterIsReadBack() throws {
        var generator = SeededGenerator(seed: 3)
        let alphabet = [
            "a", "é", "見", "🎵", "\"", ",", ";", "\t", "\n", "\r", "\r\n", " ", "=1+1", "'", "\u{FEFF}", "x",
        ]
        var table: [[String?]] = [["h1", "h2", "h3"]]
        for _ in 0..<500 {
            table.append(
                (0..<3).map { column in
                    let length = Int.random(in: (column == 0 ? 1 : -1)...4, using: &generator)
                    guard length >= 0 else { return nil }
                    return (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "" }.joined()
                })
        }
        let text = String(decoding: table.flatMap { CSVWriter.row($0) }, as: UTF8.self)
        for chunkSize in [1, 7, 65_536] {
            let rows = try rows(text, chunkSize: chunkSize)
            XCTAssertEqual(rows.map(\.number), Array(1...501))
            let read: [[String?]] = rows.map { row in
                (0..<row.count).map { row.isEmpty($0) && !row.isQuoted($0) ? nil : row[$0] }
            }
            XCTAssertTrue(
                zip(read, table).allSatisfy {
                    $0.map { $0.map { Array($0.utf8) } } == $1.map { $0.map { Array($0.utf8) } }
                },
                "chunks of \(chunkSize)")
        }
    }
}

final class CSVWriterTests: TimedTestCase {
    func testQuotesWhatNeedsIt() {
        let row = CSVWriter.row(["a", nil, "", "a,b", "7\" EP", " a", "a ", "a\nb", "a\rb", "=1+1", "a;b", nil])
        XCTAssertEqual(
            String(decoding: row, as: UTF8.self),
            "a,,\"\",\"a,b\",\"7\"\" EP\",\" a\",\"a \",\"a\nb\",\"a\rb\",=1+1,a;b,\n")
    }
}
