import Foundation
import RecordKit
import XCTest

@testable import RecordInventory

final class RecordPageTests: XCTestCase {
    func testTheNextPageIsAskedForAsTheServerWroteIt() throws {
        // Kinto writes a space as a plus sign, as forms do.
        let next = "http://kinto.test/v1/buckets/b/collections/records/records?artist=%22A+%2B+B%22&_token=e30%3D"
        let url = try XCTUnwrap(URL(string: "http://kinto.test/v1/buckets/b/collections/records/records"))
        let response = NetworkResponse(
            statusCode: 200, headers: ["Next-Page": next], body: Data(#"{"data":[]}"#.utf8), url: url)
        let token = try XCTUnwrap(try RecordPage(response, using: JSONDecoder()).next)
        XCTAssertEqual(
            token.query,
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
            let page = try RecordPage(response, using: JSONDecoder())
            let reason = try XCTUnwrap(page.unreadable.first?.reason)
            #if canImport(Darwin)
            XCTAssertTrue(reason.hasPrefix("its price.amount is not right"), reason)
            #else
            XCTAssertEqual(reason, "it holds a number that is too large, or no whole one")
            #endif
        }
    }
}
