import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class ContentTypeTests: TimedTestCase {
    private struct Sale: Encodable, NetworkEncodable {
        var soldOn = Date(timeIntervalSince1970: 0)
    }

    private struct Sell: NetworkRequest {
        typealias ValueType = Data
        typealias ErrorType = NetworkError
        var path: RequestPath { "sales" }
        var method: HTTPMethod { .post }
        var isPropertyList = false
        var encoder: any NetworkEncoder {
            if isPropertyList {
                let encoder = PropertyListEncoder()
                encoder.outputFormat = .xml
                return encoder
            }
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .iso8601
            return encoder
        }
        var body: (any NetworkEncodable)? { Sale() }
    }

    /// Encodes the name of the value's type.
    private struct NamingEncoder: NetworkEncoder {
        func encode<Value: Encodable>(_ value: Value) throws -> Data { Data("\(type(of: value))".utf8) }
    }

    func testAnEncoderSeesTheTypeOfACollection() throws {
        let bodies: [(any NetworkEncodable, String)] = [
            ([["a"], ["b"]], "Array<Array<String>>"), (["a": 1], "Dictionary<String, Int>"), (Sale(), "Sale"),
        ]
        for (body, type) in bodies {
            let encoded = try body.encoded(using: NamingEncoder())
            guard case .data(let data) = encoded.content else { return XCTFail("no data") }
            XCTAssertEqual(String(decoding: data, as: UTF8.self), type)
        }
    }

    func testEachBodyBringsItsOwn() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a.txt", Data("file".utf8))
        let table: [(any NetworkEncodable & Sendable, String, String)] = [
            (Item(sku: "a", quantity: 1), "application/json", #"{"sku":"a","quantity":1}"#),
            (["a": 1], "application/json", #"{"a":1}"#), ([1, 2], "application/json", "[1,2]"),
            ("té xt", "text/plain; charset=utf-8", "té xt"), (Data([65, 0, 66]), "application/octet-stream", "A\0B"),
            (FormBody(["a": "b c"]), "application/x-www-form-urlencoded", "a=b+c"),
            (FileBody(file, contentType: "text/csv"), "text/csv", "file"),
            (FileBody(file), "application/octet-stream", "file"),
        ]
        let server = try LoopbackServer(responses: [.status(200)])
        for (body, type, text) in table {
            _ = try await NetworkSession(NetworkConfiguration(server.url)).value(
                for: Ask<Data>(method: .put, content: body))
            let request = try XCTUnwrap(server.requests.last)
            XCTAssertEqual(request.headers("Content-Type"), [type])
            XCTAssertEqual(request.headers("Content-Length"), ["\(text.utf8.count)"])
            XCTAssertNil(request.header("Transfer-Encoding"))
            XCTAssertEqual(request.text.count, text.count)
            if !type.hasSuffix("json") { XCTAssertEqual(request.text, text) }

            _ = try await NetworkSession(NetworkConfiguration(server.url)).value(
                for: Ask<Data>(method: .put, headers: ["content-type": "application/x-own"], content: body))
            XCTAssertEqual(server.requests.last?.headers("Content-Type"), ["application/x-own"])
        }
    }

    func testTheEncoderIsTheDomainsOwn() async throws {
        let server = try LoopbackServer(responses: [.status(200)])

        _ = try await NetworkSession(NetworkConfiguration(server.url)).value(for: Sell())
        XCTAssertEqual(server.requests.last?.text, #"{"sold_on":"1970-01-01T00:00:00Z"}"#)
        _ = try await NetworkSession(NetworkConfiguration(server.url)).value(for: Sell(isPropertyList: true))
        XCTAssertEqual(server.requests.last?.header("Content-Type"), "application/x-plist")
        XCTAssertTrue(server.requests.last?.text.contains("<date>1970-01-01T00:00:00Z</date>") == true)
    }

    func testADictionaryOfAnythingIsEncodedOrNamesWhatCannotBe() throws {
        let none: Int? = nil
        let object: [String: Any] = [
            "text": "a", "list": [1, "b", NSNull()] as [Any], "none": none as Any,
            "inner": ["x": true] as [String: Any],
        ]
        let body = try object.encoded(using: JSONEncoder())
        guard case .data(let data) = body.content else { return XCTFail("not in memory") }
        let read = try XCTUnwrap(JSONSerialization.jsonObject(with: data) as? NSDictionary)
        XCTAssertEqual(
            read,
            ["text": "a", "list": [1, "b", NSNull()] as [Any], "none": NSNull(), "inner": ["x": true]] as NSDictionary)

        let wrong: [String: Any] = ["a": ["b": [1, NSObject()] as [Any]]]
        XCTAssertThrowsError(try wrong.encoded(using: JSONEncoder())) { error in
            guard case EncodingError.invalidValue(_, let context) = error else { return XCTFail("\(error)") }
            XCTAssertEqual(context.codingPath.map(\.stringValue), ["a", "b", "Index 1"])
        }
    }

    private func json(_ object: [String: Any]) async throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return String(decoding: try await object.encoded(using: encoder).data(), as: UTF8.self)
    }

    func testTheKeysOfADictionaryStayWhateverItsValues() async throws {
        let object: [String: Any] = [
            "aB": ["cD": 1], "eF": ["gH": 1, "iJ": "x"] as [String: Any], "kL": [["mN": 1, "oP": ""] as [String: Any]],
            "sale": Sale(),
        ]
        let text = try await json(object)
        XCTAssertEqual(
            text,
            #"{"aB":{"cD":1},"eF":{"gH":1,"iJ":"x"},"kL":[{"mN":1,"oP":""}],"sale":{"sold_on":-978307200}}"#)
    }

    func testANumberOfFoundationsKeepsItsDigits() async throws {
        let object: [String: Any] = [
            "a": NSNumber(value: Float(0.1)), "b": NSDecimalNumber(string: "12345678901234567.89"),
            "c": NSNumber(value: UInt64.max), "d": NSNumber(value: true), "e": NSNumber(value: 0.25),
        ]
        let text = try await json(object)
        XCTAssertEqual(text, #"{"a":0.1,"b":12345678901234567.89,"c":18446744073709551615,"d":true,"e":0.25}"#)
    }
}
