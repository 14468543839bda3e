import Foundation
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class RecordPageTests: TimedTestCase {
    func testTheNextPageIsAskedForAsTheServerWroteIt() throws {
        // Kinto encodes a space as a plus sign, as forms do.
        let next = "http://kinto.test/v1/buckets/b/collections/records/records?artist=%22A+%2B+B%22&_token=e30%3D"
        let url = try XCTUnwrap(URL(string: "http://kinto.test/v1/buckets/b/collections/records/records"))
        let response = NetworkResponse(
            statusCode: 200, headers: ["Next-Page": next], body: Data(#"{"data":[]}"#.utf8), url: url)
        let query = try XCTUnwrap(try RecordPage(KintoResponse(response)).next)
        XCTAssertEqual(
            query,
            RequestQuery([
                RequestQuery.Item(name: "artist", value: "\"A + B\""), RequestQuery.Item(name: "_token", value: "e30="),
            ]))
    }

    func testARecordWithANumberPastAllBoundsIsLeftOutInPlainWords() throws {
        let url = try XCTUnwrap(URL(string: "http://kinto.test/v1/buckets/b/collections/records/records"))
        for number in ["1e300", "1.5", "99999999999999999999"] {
            let record =
                #"{"id":"A","sku":"A","artist":"a","title":"t","price":{"amount":\#(number),"currency":"EUR"},"quantity":1}"#
            let response = NetworkResponse(statusCode: 200, body: Data(#"{"data":[\#(record)]}"#.utf8), url: url)
            let page = try RecordPage(KintoResponse(response))
            let reason = try XCTUnwrap(page.unreadable.first?.reason)
            XCTAssertEqual(reason, "its price.amount is invalid: it is too large or not whole")
        }
    }

    func testAValueThatIsNoneOfOursIsToldInPlainWords() throws {
        let url = try XCTUnwrap(URL(string: "http://kinto.test/v1/buckets/b/collections/records/records"))
        let sold = #""status":"sold","#
        for (member, reason) in [
            (#""status":"lent""#, #"status is invalid: "lent": not a status; use one of draft, for_sale, sold"#),
            (#""status":"For Sale""#, #"status is invalid: "For Sale": it is stored as for_sale"#),
            (sold + #""media_condition":"A1""#, #"media_condition is invalid: "A1": not a grade; use one of M, "#),
            (sold + #""sleeve_condition":"No Cover""#, #"sleeve_condition is invalid: "No Cover": it is stored as"#),
        ] {
            let record =
                #"{"id":"A","sku":"A","artist":"a","title":"t","price":{"amount":1,"currency":"EUR"},"quantity":1,"#
            let data = Data(#"{"data":[\#(record)\#(member)}]}"#.utf8)
            let page = try RecordPage(KintoResponse(NetworkResponse(statusCode: 200, body: data, url: url)))
            let said = try XCTUnwrap(page.unreadable.first?.reason, member)
            XCTAssertTrue(said.hasPrefix("its " + reason), "\(member): \(said)")
        }
    }
}
