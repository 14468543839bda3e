import Foundation
import RecordKit
import RecordKitTesting
import XCTest

final class PrintedResponseTests: XCTestCase {
    private func response(_ headers: HTTPHeaders, _ body: String) -> NetworkResponse {
        NetworkResponse(statusCode: 409, headers: headers, body: Data(body.utf8), url: URL(filePath: "/"))
    }

    func testProblemDetailsAreReadAndPrinted() {
        let body = #"{"type": 7, "title": "Out of stock", "status": 409, "detail": "None left", "more": [1]}"#
        let refused = response(["Content-Type": "application/problem+json"], body)

        XCTAssertEqual(refused.problem?.type, "about:blank")
        XCTAssertEqual(refused.problem?.detail, "None left")
        XCTAssertTrue(NetworkError.status(refused).description.contains("None left"))
        let silent = response(["Content-Type": "application/problem+json"], #"{"title": "Sold", "detail": ""}"#)
        XCTAssertTrue(NetworkError.status(silent).description.hasSuffix("It says: Sold"))
        let hostile = #"{"detail": "\u001B[2J\nDone."}"#
        XCTAssertEqual(
            NetworkError.status(response(["Content-Type": "application/problem+json"], hostile)).description
                .unicodeScalars.filter { $0.value < 32 }.count, 0)
        let telling = #"{"detail": "See https://till:s3cret@h/?page=1&token=s3cret for more."}"#
        let told = NetworkError.status(response(["Content-Type": "application/problem+json"], telling)).description
        XCTAssertTrue(told.hasSuffix("It says: See https://redacted@h/?page=1&token=redacted for more."), told)
        XCTAssertNil(response(["Content-Type": "application/json"], body).problem)
        XCTAssertNil(response(["Content-Type": "application/problem+json"], "oops").problem)
    }

    func testAPrintedResponseKeepsSecrets() throws {
        let url = try XCTUnwrap(URL(string: "https://u:s3cret@a.example/x?page=1&access_token=s3cret&Till=s3cret#top"))
        var headers: HTTPHeaders = ["Set-Cookie": "s3cret"]
        headers.markSecret(["till"])
        let response = NetworkResponse(statusCode: 200, headers: headers, body: Data("s3cret".utf8), url: url)
        var dumped = ""
        dump(response, to: &dumped)

        // Nor the bytes of one, which make up short data.
        XCTAssertTrue(dumped.contains("body: \"6 bytes\""), dumped)
        for text in ["\(response)", dumped, "\(NetworkError.status(response))"] {
            XCTAssertFalse(text.contains("s3cret"), text)
        }
        XCTAssertTrue("\(response)".contains("page=1"))
    }

    func testAPrintedResponseKeepsTheCredentialThatItSendsBack() async throws {
        let echo = CannedTransport(.answer(409, ["X-Seen": "Bearer s3cret-token", "Server": "canned"]))
        let ask = Ask<Data>(path: "s3cret-token", headers: ["Authorization": "Bearer s3cret-token"])
        let response = try await NetworkConfiguration(echo, [], clock: ManualClock()).outcome(of: ask).get()
        let error = NetworkError.status(response)
        var dumped = ""
        dump(error, to: &dumped)

        for text in ["\(error)", dumped] { XCTAssertFalse(text.contains("s3cret"), text) }
        XCTAssertTrue(dumped.contains("canned"), dumped)
    }

    func testItKeepsTheCredentialThatARedirectToAnotherOriginTookAlong() async throws {
        let other = try LoopbackServer { request in
            request.path == "/ftp" ? .redirect(to: "ftp://b.example/s3cret-token") : .text("no", status: 404)
        }
        for path in ["/s3cret-token", "/ftp"] {
            let server = try LoopbackServer { _ in .redirect(to: "http://127.0.0.1:\(other.port)\(path)") }
            for way in HostileBehaviour.Way.allCases {
                let ask = Ask<NetworkResponse>(headers: ["X-Api-Key": "s3cret-token"])
                let result = await HostileBehaviour.run(ask, NetworkConfiguration(server.url), way)
                XCTAssertThrowsError(try result.get()) { error in
                    XCTAssertFalse("\(error)".contains("s3cret"), "\(way): \(error)")
                }
            }
        }
    }
}
