import RecordKit
import RecordKitJSON
import RecordKitStreaming
import TestSupport
import XCTest

// All requests of an app.
extension NetworkRequest {
    var decoder: JSONReader { JSONReader() }
}

/// A request chooses the reader and the writer by its members.
final class RequestTests: XCTestCase {
    private struct Label: Codable, Sendable, Equatable, NetworkEncodable {
        var labelName: String
        var foundedAt: Date
    }

    private protocol Domain: NetworkRequest where ErrorType == NetworkError {}

    private struct Echo: Domain {
        typealias ValueType = Label
        let label: Label
        var method: HTTPMethod { .post }
        var path: RequestPath { "labels" }
        var body: Label { label }
        var encoder: JSONWriter {
            var writer = JSONWriter()
            writer.keyEncodingStrategy = .convertToSnakeCase
            writer.dateEncodingStrategy = .iso8601
            return writer
        }
        var decoder: JSONReader {
            var reader = JSONReader()
            reader.keyDecodingStrategy = .convertFromSnakeCase
            reader.dateDecodingStrategy = .iso8601
            return reader
        }
    }

    private struct List: Domain {
        typealias ValueType = [Int]
        var path: RequestPath { "numbers" }
    }

    private func network(_ transport: CannedTransport) -> NetworkSession {
        NetworkSession(
            NetworkConfiguration(environment: NetworkEnvironment("https://example.com"), transport: transport))
    }

    func testARequestUsesThem() async throws {
        let transport = CannedTransport { call throws(NetworkError) in
            NetworkResponse(statusCode: 200, body: try await call.body?.data() ?? Data(), url: call.url)
        }
        let label = Label(labelName: "Aurora", foundedAt: Date(timeIntervalSince1970: 0))
        assertEqual(try await network(transport).value(for: Echo(label: label)), label)
        let sent = try await transport.calls.first?.body?.data()
        XCTAssertEqual(sent, Data(#"{"label_name":"Aurora","founded_at":"1970-01-01T00:00:00Z"}"#.utf8))
        XCTAssertEqual(transport.calls.first?.headers["Content-Type"], "application/json")
    }

    func testAnAppChoosesForAllRequests() async throws {
        XCTAssertTrue((List() as any NetworkRequest).decoder is JSONReader)
        XCTAssertTrue(
            (Echo(label: Label(labelName: "", foundedAt: Date())) as any NetworkRequest).encoder is JSONWriter)
    }

    private enum Grade: String, Codable { case mint, good }

    private struct Sale: Codable {
        var count: Int?
        var soldOn: [Date]?
        var grade: Grade?
        var label: Label?
        var url: URL?
    }

    /// The reasons by Foundation's decoder and by RecordKitJSON's.
    private let reasons: [(body: String, type: any Decodable.Type, foundation: String, ours: String)] = [
        ("s3cret", Sale.self, "it is not JSON", "it is not valid: no value begins like this at byte 0"),
        (
            #"{"count":1} s3cret"#, Sale.self, "it is not JSON",
            "it is not valid: something follows the value at byte 12"
        ),
        (#"{"count":1"#, Sale.self, "its JSON ends early", "it is not valid: a comma or } is missing at byte 10"),
        (#"{"count":1.5}"#, Sale.self, RequestTests.misfit, "count is not valid: the number doesn't fit in Int"),
        (
            #"{"count":12345678901234567890}"#, Sale.self, RequestTests.misfit,
            "count is not valid: the number doesn't fit in Int"
        ),
        ("1.5", Int.self, RequestTests.misfit, "it is not valid: the number doesn't fit in Int"),
        (
            #"{"label":{"labelName":"","foundedAt":"s3cret"}}"#, Sale.self,
            "label.foundedAt is not valid: a string isn't a date of ISO 8601",
            "label.foundedAt is not valid: the string isn't a date of ISO 8601"
        ),
        (
            #"{"soldOn":["s3cret"]}"#, Sale.self, "soldOn[0] is not valid: a string isn't a date of ISO 8601",
            "soldOn[0] is not valid: the string isn't a date of ISO 8601"
        ),
        (
            #""s3cret""#, Date.self, "the root value is not valid: a string isn't a date of ISO 8601",
            "it is not valid: the string isn't a date of ISO 8601"
        ),
        (
            #"{"grade":"s3cret"}"#, Sale.self, "grade is none of the cases of Grade",
            "grade is none of the cases of Grade"
        ),
        (
            #"[{"grade":" from invalid "}]"#, [Sale].self, "[0].grade is none of the cases of Grade",
            "[0].grade is none of the cases of Grade"
        ),
        (
            #"{"url":""}"#, Sale.self, "url is not valid: the string isn't a URL",
            "url is not valid: the string isn't a URL"
        ),
        ("[2]", [Quoting].self, "[0] is not valid", "[0] is not valid"),
    ]

    private static let misfit =
        "a value in it doesn't fit its type, such as a number with a fraction, or one that is too large"

    /// A type whose error quotes the value.
    private struct Quoting: Decodable {
        init(from decoder: any Decoder) throws {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath, debugDescription: "s3cret",
                underlyingError: CocoaError(.coderInvalidValue, userInfo: [NSDebugDescriptionErrorKey: "s3cret"]))
            throw DecodingError.dataCorrupted(context)
        }
    }

    func testAnErrorSaysWhereAndWhyAndQuotesNoValue() throws {
        let foundation = JSONDecoder()
        foundation.dateDecodingStrategy = .iso8601
        var ours = JSONReader()
        ours.dateDecodingStrategy = .iso8601
        for (body, type, byFoundation, byUs) in reasons {
            for (decoder, reason) in [(foundation as any NetworkDecoder, byFoundation), (ours, byUs)] {
                let url = try XCTUnwrap(URL(string: "https://example.com"))
                let response = NetworkResponse(statusCode: 200, body: Data(body.utf8), url: url)
                XCTAssertThrowsError(try value(of: response, as: type, using: decoder), body) { cause in
                    let failure = NetworkError.DecodingFailure(type: "Sale", response: response, cause: cause)
                    let text = NetworkError.decoding(failure).description
                    XCTAssertEqual(text, "The response could not be read as Sale: \(reason). It was \(response).", body)
                }
            }
        }
    }

    private func value<Value: Decodable>(
        of response: NetworkResponse, as type: Value.Type, using decoder: any NetworkDecoder
    ) throws -> Any { try response.value(as: type, using: decoder) }

    func testElements() async throws {
        let numbers = try await NetworkManager(network(CannedTransport(body: "[1, 2,3 ]"))).elements(for: List())
            .collect()
        XCTAssertEqual(numbers, [1, 2, 3])
        XCTAssertTrue(JSONReader().listDecoder is JSONReader)
        let elements = NetworkManager(network(CannedTransport(body: "[1,2,\"x\",4]"))).elements(for: List())
        var read: [Int] = []
        do {
            for try await element in elements { read.append(element) }
            XCTFail("It ended.")
        } catch {
            XCTAssertTrue("\(error)".contains("[2]"), "\(error)")
        }
        XCTAssertEqual(read, [1, 2])
    }
}
