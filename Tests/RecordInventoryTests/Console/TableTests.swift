import TestSupport
import XCTest

@testable import RecordInventory

final class TableTests: TimedTestCase {
    private func table() -> Table {
        var table = Table([Table.Column("SKU"), Table.Column("TITLE"), Table.Column("PRICE", isNumeric: true)])
        table.add(["LP-1", "Kind of Blue", "18.50"])
        table.add(["00042", "見本盤", nil])
        return table
    }

    func testTheWidestColumnsGiveWayInANarrowWindow() {
        XCTAssertEqual(table().lines(width: 20), ["SKU    TITLE   PRICE", "LP-1   Kind …  18.50", "00042  見本盤       "])
    }

    func testANumberIsCutLast() {
        var table = Table([Table.Column("TITLE"), Table.Column("PRICE", isNumeric: true)])
        table.add(["Kind", "18500.00 EUR"])
        XCTAssertEqual(table.lines(width: 17)[1], "Ki…  18500.00 EUR")
        XCTAssertEqual(table.lines(width: 14)[1], "…  18500.00 E…")
    }

    func testColumnsLeaveANarrowTableInTheirOrder() {
        var table = Table([
            Table.Column("SKU", staysWhole: true), Table.Column("title"), Table.Column("format", leaves: 2),
            Table.Column("price", isNumeric: true), Table.Column("place", leaves: 1),
        ])
        table.add(["LP-0042", "Kind of Blue", "LP, Album", "18.50 EUR", "front window"])
        for (width, title) in [
            (80, "SKU      title         format         price  place"),
            (48, "SKU      title     format        price  place"), (40, "SKU      title      format        price"),
            (30, "SKU      title            price"),
        ] {
            let lines = table.lines(width: width)
            XCTAssertEqual(lines[0].split(separator: " "), title.split(separator: " "), "\(width)")
            XCTAssertTrue(lines.allSatisfy { $0.displayWidth <= width }, "\(lines)")
        }
    }

    func testNoWindowIsTooNarrow() {
        for width in [-1, 0, 1, 7] { XCTAssertEqual(table().lines(width: width).count, 3) }
    }
}
