@testable import RecordKit
import RecordKitXML
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The reasons given for a response that cannot be decoded.
final class CodingReasonTests: TimedTestCase {
    private func response(_ status: Int = 200, _ headers: HTTPHeaders = [:], _ body: String = "") -> NetworkResponse {
        NetworkResponse(statusCode: status, headers: headers, body: Data(body.utf8), url: URL(filePath: "/"))
    }

    private struct ReadItems: NetworkRequest {
        typealias ValueType = [Item]
        typealias ErrorType = NetworkError
        var path: RequestPath { "" }
    }

    func testADecodingErrorSaysWhereAndNotWhat() {
        let body = #"[{"sku": "a", "quantity": 1}, {"sku": "s3cret", "quantity": "s3cret"}]"#
        guard case .failure(let error) = ReadItems().handleResponse(response(200, [:], body)) else {
            return XCTFail("accepted")
        }
        XCTAssertTrue(error.description.contains("[1].quantity is not of type Int"), error.description)
        XCTAssertFalse(error.description.contains("s3cret"), error.description)
        XCTAssertNotNil(error.cause as? DecodingError)
    }

    func testTheContainersOfJSONAreNamedAsSuch() {
        for (body, reason) in [
            (#"{"items": []}"#, "the root value is not an array"), ("[[]]", "[0] is not an object"),
        ] {
            XCTAssertThrowsError(try response(200, [:], body).value(as: [Item].self, using: JSONDecoder())) {
                XCTAssertEqual(CodingReason.of($0), reason)
            }
        }
    }

    func testADecodingErrorWithoutAPlaceDoesNotBlameTheWhole() {
        let error = DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "s3cret"))
        XCTAssertEqual(CodingReason.of(error), "the root value, or a value in it, is not valid")
    }

    func testNoErrorOfFoundationsPrintsWhatItCarries() {
        let secret = "s3cret"
        let errors: [any Error] = [
            NSError(domain: "Test", code: 1, userInfo: [NSLocalizedDescriptionKey: "It broke.", "body": secret]),
            URLError(.badURL, userInfo: ["NSErrorFailingURLStringKey": "https://a.example?token=\(secret)"]),
            CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: secret]),
        ]
        for error in errors { XCTAssertFalse(CodingReason.of(error).contains(secret), CodingReason.of(error)) }
        XCTAssertEqual(CodingReason.of(errors[0]), "It broke.")
    }

    func testNoControlCharacterOfAServersIsPrinted() {
        let texts = [
            CodingReason.of(failure(decoding: [String: Int].self, from: #"{"\u001B[2J": "many"}"#)),
            CodingReason.of(failure(decoding: [String: [Int]].self, from: #"{"\u001B[2J": ["x"]}"#)),
            NetworkResponse.ReadingError.unknownCharset("\u{1B}[2J").description,
            NetworkResponse.ReadingError.invalidText(charset: "\u{1B}[2J\u{9B}2J").description,
            XMLTreeError.encoding("\u{1B}[2J").description,
        ]
        for text in texts {
            XCTAssertTrue(text.lowercased().contains(#"\u{1b}[2j"#), text)
            XCTAssertFalse(text.unicodeScalars.contains { $0.value < 32 || (127..<160).contains($0.value) }, text)
        }
    }

    func testNoServerMakesAMessageLong() {
        let long = String(repeating: "x\u{301}", count: 100_000)
        let texts = [
            CodingReason.of(failure(decoding: [String: Int].self, from: #"{"\#(long)": ""}"#)),
            NetworkResponse.ReadingError.unknownCharset(long).description,
        ]
        for text in texts {
            XCTAssertLessThan(text.unicodeScalars.count, 1200)
            XCTAssertTrue(text.contains("…"))
        }
    }

    private func failure<Value: Decodable>(decoding type: Value.Type, from json: String) -> any Error {
        do {
            _ = try JSONDecoder().decode(type, from: Data(json.utf8))
            return CancellationError()
        } catch {
            return error
        }
    }
}
