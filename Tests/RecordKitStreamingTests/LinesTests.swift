import RecordKit
import RecordKitStreaming
import TestSupport
import XCTest

/// Lines are the same however their bytes are split into chunks.
final class LinesTests: TimedTestCase {
    private func lines(_ chunks: [Data], sizeLimit: Int? = nil) async throws -> [String] {
        let network = NetworkSession(ChunkTransport(chunks: chunks), options: RequestOptions(sizeLimit: sizeLimit))
        return try await NetworkManager(network).lines(for: Ask<Data>()).collect()
    }

    private static let cases: [(text: String, lines: [String])] = [
        ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\r", ["a", "b"]), ("a\r\r\nb\n\rc", ["a", "", "b", "", "c"]), ("\r\n\r\n", ["", ""]),
        ("ü\r\n€\n𝄞\rx\u{85}y\u{2028}z", ["ü", "€", "𝄞", "x\u{85}y\u{2028}z"]),
    ]

    func testEverySplitOfEveryCase() async throws {
        for (text, expected) in Self.cases {
            let bytes = Data(text.utf8)
            for first in 0...bytes.count {
                for second in first...bytes.count {
                    let chunks = [bytes[..<first], bytes[first..<second], bytes[second...]]
                    let lines = try await lines(chunks)
                    XCTAssertEqual(lines, expected, "\(text.debugDescription) split at \(first) and \(second)")
                }
            }
        }
    }

    func testBytesThatAreNoUTF8AreReplaced() async throws {
        assertEqual(try await lines([Data([0x61, 0xFF, 0x0A, 0xC3])]), ["a\u{FFFD}", "\u{FFFD}"])
    }

    func testALineHasALimit() async throws {
        let lines = try await lines([Data("12345\n12345".utf8)], sizeLimit: 5)
        XCTAssertEqual(lines, ["12345", "12345"])
        for chunks in [["123456\n"], ["123", "456"], ["12345\n123", "456\n"]] {
            let error = await failure { try await self.lines(chunks.map { Data($0.utf8) }, sizeLimit: 5) }
            guard case .tooLarge(let excess) = error as? NetworkError, excess.limit == 5 else {
                return XCTFail("\(chunks): \(error as Any)")
            }
        }
    }
}

/// A transport whose response is a stream of given chunks.
struct ChunkTransport: NetworkTransport {
    let chunks: [Data]
    var headers = HTTPHeaders()
    var status = 200

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let (bytes, writer) = NetworkBytes.makeStream {}
        for chunk in chunks where !chunk.isEmpty { writer.write(chunk) }
        writer.finish()
        return NetworkResponse(statusCode: status, headers: headers, content: .stream(bytes), url: call.url)
    }
}
