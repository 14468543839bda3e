import Foundation
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

    func testAnErrorNamesThePathAndNoValue() async throws {
        let transport = CannedTransport(body: #"{"label_name":"s3cret","founded_at":"s3cret"}"#)
        let label = Label(labelName: "", foundedAt: Date())
        let error = await self.network(transport).failure(of: Echo(label: label))
        guard case .decoding = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertTrue("\(error!)".contains("foundedAt"), "\(error!)")
        XCTAssertFalse("\(error!)".contains("s3cret"), "\(error!)")
    }

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
