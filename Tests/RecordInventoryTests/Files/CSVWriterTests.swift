import XCTest

@testable import RecordInventory

final class CSVWriterTests: XCTestCase {
    func testQuotesWhatNeedsIt() {
        let row = CSVWriter.row(["a", nil, "", "a,b", "7\" EP", " a", "a ", "a\nb", "a\rb", "=1+1", "a;b", nil])
        XCTAssertEqual(
            String(decoding: row, as: UTF8.self),
            "a,,\"\",\"a,b\",\"7\"\" EP\",\" a\",\"a \",\"a\nb\",\"a\rb\",=1+1,a;b,\n")
    }
}
