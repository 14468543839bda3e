import Foundation
import XCTest

@testable import RecordKit

final class MultipartSecretTests: XCTestCase {
    func testInMultipart() async {
        let body = [
            "--x", "Content-Disposition: form-data; name=\"password\"", "", "s3cret\r\nline", "--x",
            "Content-Disposition: form-data; name=\"item\"", "Content-Type: application/json", "", #"{"pin":"s3cret"}"#,
            "--x",
            "Content-Disposition: form-data; name=\"page\"", "Content-Type: text/xml", "", "<pin>s3cret</pin>",
            "--x--", "",
        ].joined(separator: "\r\n")
        let text = await LogBook.body(body, "multipart/form-data; boundary=x")
        XCTAssertFalse(text.contains("s3cret"), text)
        XCTAssertFalse(text.contains("line"), text)
        XCTAssertTrue(text.contains(#"{"pin":"redacted"}"#), text)
        XCTAssertTrue(text.contains("<pin>redacted</pin>"), text)
        XCTAssertTrue(text.contains("redacted\\u{d}\n--x"), text)
        for broken in [
            "--x", "--x\r\n\r\n", "--x\r\n\r\n--x", "--x\r\nContent-Disposition: form-data; name=\"pin\"\r\n\r\n--x",
        ] {
            _ = await LogBook.body(broken, "multipart/form-data; boundary=x")
        }
    }

    /// A thread of an app may have no more than half a megabyte for what calls itself.
    func testManyMultipartBodiesInOneAnotherFillNoStack() async throws {
        let type = try XCTUnwrap(MediaType("multipart/mixed; boundary=b0"))
        for depth in [1, 3, 365] {
            let heads = (0..<depth).map { "--b\($0)\nContent-Type: multipart/mixed; boundary=b\($0 + 1)\n\n" }
            let leaf = "--b\(depth)\nContent-Type: application/json\n\n{\"pin\": \"s3cret\", \"a\": 1}"
            let body = Data((heads.joined() + leaf).utf8)
            let pieces: [BodyPiece] = await withCheckedContinuation { continuation in
                let thread = Thread {
                    continuation.resume(returning: BodyPiece.searchedPieces(of: body, type, secret: ["pin"]))
                }
                thread.stackSize = 256 << 10
                thread.start()
            }
            let plain = pieces.map { piece in
                if case .plain(let data) = piece { String(decoding: data, as: UTF8.self) } else { "redacted" }
            }.joined()
            XCTAssertFalse(plain.contains("s3cret"), plain)
            XCTAssertEqual(plain.contains("\"a\": 1"), depth <= 3, plain)
            XCTAssertTrue(plain.hasPrefix(heads[0]), plain)
        }
    }
}
