import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class PrintedResponseTests: TimedTestCase {
    private func response(_ headers: HTTPHeaders, _ body: String) -> NetworkResponse {
        NetworkResponse(statusCode: 409, headers: headers, body: Data(body.utf8), url: URL(filePath: "/"))
    }

    func testProblemDetailsAreReadAndNotPrinted() {
        let body = #"{"type": 7, "title": "Out of stock", "status": 409, "detail": "None left", "more": [1]}"#
        let refused = response(["Content-Type": "application/problem+json"], body)

        XCTAssertEqual(refused.problem?.type, "about:blank")
        XCTAssertEqual(refused.problem?.detail, "None left")
        let error = NetworkError.status(refused)
        XCTAssertEqual(error.response?.problem?.title, "Out of stock")
        for word in ["None left", "Out of stock"] { XCTAssertFalse("\(error)".contains(word), "\(error)") }
        XCTAssertNil(response(["Content-Type": "application/json"], body).problem)
        XCTAssertNil(response(["Content-Type": "application/problem+json"], "oops").problem)
    }

    func testAPrintedResponseKeepsSecrets() throws {
        let url = try XCTUnwrap(URL(string: "https://u:s3cret@a.example/x?page=1&access_token=s3cret&Till=s3cret#top"))
        var headers: HTTPHeaders = ["Set-Cookie": "s3cret"]
        headers.markSensitive(["till"])
        let response = NetworkResponse(statusCode: 200, headers: headers, body: Data("s3cret".utf8), url: url)
        var dumped = ""
        dump(response, to: &dumped)

        // The dump does not contain the bytes, which short data would show.
        XCTAssertTrue(dumped.contains("body: \"6 bytes\""), dumped)
        for text in ["\(response)", dumped, "\(NetworkError.status(response))"] {
            XCTAssertFalse(text.contains("s3cret"), text)
        }
        XCTAssertTrue("\(response)".contains("page=1"))
    }
}
