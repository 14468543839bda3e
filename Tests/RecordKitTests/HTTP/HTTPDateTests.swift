import RecordKit
import TestSupport
import XCTest

final class HTTPDateTests: TimedTestCase {
    private let example = Date(timeIntervalSince1970: 784_111_777)

    func testTheThreeForms() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ] { XCTAssertEqual(HTTPDate(text)?.date, example, text) }
        XCTAssertEqual(HTTPDate("Wed Nov 16 08:49:37 1994")?.description, "Wed, 16 Nov 1994 08:49:37 GMT")
        XCTAssertEqual(HTTPDate(example).description, "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    func testADateIsWrittenAsItIsRead() {
        for day in stride(from: -60_000, through: 60_000, by: 11) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 12_345)
            let text = HTTPDate(date).description
            XCTAssertEqual(HTTPDate(text)?.date, date, text)
        }
        for (seconds, text) in [
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (-86_400, "Wed, 31 Dec 1969 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Double, String)] {
            XCTAssertEqual(HTTPDate(Date(timeIntervalSince1970: seconds)).description, text)
        }
    }

    func testALeapSecondIsTheFirstOfTheNextMinute() {
        XCTAssertEqual(HTTPDate("Sat, 31 Dec 2016 23:59:60 GMT")?.description, "Sun, 01 Jan 2017 00:00:00 GMT")
    }

    func testAYearOfTwoDigitsIsNeverMoreThanFiftyYearsAhead() {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        func year(_ digits: String) -> String? {
            HTTPDate("Friday, 06-Nov-\(digits) 08:49:37 GMT", now: now).map {
                String($0.description.dropFirst(12).prefix(4))
            }
        }
        XCTAssertEqual(year("26"), "2026")
        XCTAssertEqual(year("75"), "2075")
        XCTAssertEqual(year("76"), "1976")
        XCTAssertEqual(year("99"), "1999")
        let late = Date(timeIntervalSince1970: 4_070_908_800)
        XCTAssertEqual(
            HTTPDate("Friday, 06-Nov-03 08:49:37 GMT", now: late)?.description, "Tue, 06 Nov 2103 08:49:37 GMT")
    }

    func testInvalidDates() {
        for text in [
            "", "now", "6", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 94 08:49:37 PST",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 199 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 9223372036854775807 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
            // Each of the three formats, with one error each.
            "Sun, 06 Nov 1994 -8:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49:7 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun 06 Nov 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT", "Day, 06 Nov 1994 08:49:37 GMT",
            "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 gmt", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 GMT ",
            " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08-49-37 GMT", "Sun,\t06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37:00 GMT", "Sun, 006 Nov 1994 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 -8:49:37 GMT", "Sunday, 6-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37", "Sunday 06-Nov-94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
            "Sunday, -06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-94-08:49:37 GMT", "Sunday, 06,Nov,94 08:49:37 GMT",
            "Sun Nov  6 -8:49:37 1994", "Sun Nov 6 08:49:37 1994", "Sun Nov  06 08:49:37 1994",
            "Sun Nov   6 08:49:37 1994", "Sun Nov  6 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT",
            "Sun, Nov  6 08:49:37 1994", "Sunday Nov  6 08:49:37 1994", "Sun 6 Nov 08:49:37 1994", " ", "GMT", "Sun",
            "Sun,", "Sun, GMT", "Sun Nov 1994", "Sun, 06 GMT", "Sunday, 06-Nov-94 GMT",
        ] { XCTAssertNil(HTTPDate(text), text) }
    }

    func testADateBeyondFourDigitsIsWrittenAsTheLastOne() {
        XCTAssertEqual(HTTPDate(Date(timeIntervalSince1970: .infinity)).description, "Fri, 31 Dec 9999 23:59:59 GMT")
        XCTAssertEqual(HTTPDate(Date(timeIntervalSince1970: .nan)).description, "Thu, 01 Jan 1970 00:00:00 GMT")
    }
}
