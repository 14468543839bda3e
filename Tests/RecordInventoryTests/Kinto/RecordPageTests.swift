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
}
