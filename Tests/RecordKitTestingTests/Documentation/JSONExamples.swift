import Foundation
import RecordKit
import RecordKitJSON
import XCTest

// The snippets of the guide of RecordKitJSON.

protocol PressingRequest: NetworkRequest
where ErrorType == NetworkError {}

extension PressingRequest {
    var decoder: JSONReader { JSONReader() }
    var encoder: JSONWriter { JSONWriter() }
}

enum PressingService: PressingRequest {
    typealias ValueType = Pressing

    case pressing(id: String)

    var path: RequestPath {
        switch self {
        case .pressing(let id): "pressings/\(id)"
        }
    }
}

var pressingReader: JSONReader {
    var reader = JSONReader()
    reader.keyDecodingStrategy = .convertFromSnakeCase
    reader.dateDecodingStrategy = .iso8601
    return reader
}

struct Pressing: Codable, Sendable, NetworkEncodable {
    var id: String
    var price: Decimal
    var attributes: JSONObject
}

var pressingWriter: JSONWriter {
    var writer = JSONWriter()
    writer.dateEncodingStrategy = .iso8601WithFractionalSeconds
    return writer
}

final class JSONExampleTests: XCTestCase {
    func testADomainSharesTheCoders() throws {
        let request: any NetworkRequest = PressingService.pressing(id: "1")
        XCTAssertTrue(request.decoder is JSONReader)
        XCTAssertTrue(request.encoder is JSONWriter)
        XCTAssertEqual(try pressingReader.decode([String: Int].self, from: Data(#"{"a_b":1}"#.utf8)), ["a_b": 1])
    }

    func testValues() throws {
        let data = Data(#"{"price":18.50,"id":"1"}"#.utf8)
        let value = try JSONValue(reading: data)
        let amount = value.object?["price"]?.number?.decimal
        let canonical = value.sorted().text()
        XCTAssertEqual(amount, Decimal(string: "18.5"))
        XCTAssertEqual(canonical, #"{"id":"1","price":18.50}"#)
    }
}
