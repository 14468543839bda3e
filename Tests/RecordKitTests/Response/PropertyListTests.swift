import Foundation
import RecordKit
import TestSupport
import XCTest

final class PropertyListTests: TimedTestCase {
    /// A value that decodes every level of nesting.
    private indirect enum Nested: Decodable {
        case leaf
        case list(Nested)

        init(from decoder: any Decoder) throws {
            if var list = try? decoder.unkeyedContainer(), !list.isAtEnd {
                self = .list(try list.decode(Nested.self))
            } else {
                self = .leaf
            }
        }
    }

    private func failure(_ body: Data) -> (any Error)? {
        let response = NetworkResponse(statusCode: 200, body: body, url: URL(filePath: "/"))
        do {
            _ = try response.value(as: Nested.self, using: PropertyListDecoder())
            return nil
        } catch {
            return error
        }
    }

    private func isTooDeep(_ body: Data) -> Bool {
        failure(body) as? NetworkResponse.Unreadable == .tooDeep(limit: 512)
    }

    private func xml(_ depth: Int, _ open: String = "<array>", _ close: String = "</array>") -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
            + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">"
            + String(repeating: open, count: depth) + "<string>x</string>" + String(repeating: close, count: depth)
            + "</plist>"
    }

    func testNestedXML() throws {
        XCTAssertNil(failure(Data(xml(512).utf8)))
        let marked = "\u{FEFF}\(xml(20_000).replacing(" encoding=\"UTF-8\"", with: ""))"
        let texts = [
            xml(513), xml(20_000), xml(20_000, "<array >\n", ""), xml(20_000, "<array><array/>"),
            xml(20_000, "<dict><key>a</key>", "</dict>"), xml(20_000, "<array><!--</array>-->"),
            xml(20_000, "<array><?x </array>?>"), xml(20_000, "<array><string><![CDATA[</array>]]></string>"), marked,
        ]
        for text in texts { XCTAssertTrue(isTooDeep(Data(text.utf8)), "\(text.prefix(220).suffix(60))") }
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
            XCTAssertTrue(isTooDeep(try XCTUnwrap(marked.data(using: encoding))))
        }
        // Many elements side by side, and text that only looks like nesting.
        let wide = "<array>" + String(repeating: "<array><dict/><array/></array>", count: 1_000) + "</array>"
        XCTAssertNil(failure(Data("<plist>\(wide)</plist>".utf8)))
        let commented = "<!--" + String(repeating: "<array>", count: 1_000) + "-->"
        XCTAssertNil(failure(Data("<plist>\(commented)<array/></plist>".utf8)))
    }

    /// Returns a binary property list of these arrays, each given by the indices of its members. The first array is the
    /// root.
    private func binary(_ arrays: [[Int]], referenceSize: Int = 4) -> Data {
        func bytes(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> (8 * $0)) : 0 }
        }
        var data = Data("bplist00".utf8)
        var offsets: [Int] = []
        for members in arrays {
            offsets.append(data.count)
            data += members.count < 15 ? [0xA0 + UInt8(members.count)] : [0xAF, 0x11] + bytes(members.count, 2)
            data += members.flatMap { bytes($0, referenceSize) }
        }
        let table = data.count
        data += offsets.flatMap { bytes($0, 4) } + [0, 0, 0, 0, 0, 0, 4, UInt8(referenceSize)]
        return data + bytes(arrays.count, 8) + bytes(0, 8) + bytes(table, 8)
    }

    private func chain(_ depth: Int) -> [[Int]] {
        (1..<depth).map { [$0] } + [[]]
    }

    func testNestedBinary() {
        XCTAssertNil(failure(binary(chain(512))))
        for depth in [514, 20_000] { XCTAssertTrue(isTooDeep(binary(chain(depth)))) }
        XCTAssertTrue(isTooDeep(binary(chain(20_000), referenceSize: 16)))
        XCTAssertTrue(isTooDeep(binary([[1], [0]])), "a cycle")
        XCTAssertTrue(isTooDeep(binary([[0]])))
        // Shared objects, which the walk visits once.
        XCTAssertNil(failure(binary((1..<400).map { [$0, $0] } + [[]])))
        XCTAssertNil(failure(binary([Array(1...1_000)] + [[Int]](repeating: [], count: 1_000))))
        // A chain that is reached from its middle first.
        let joined = [[500, 1]] + (2...1_000).map { [$0] } + [[]]
        XCTAssertTrue(isTooDeep(binary(joined)))
    }

    func testWhatEncodersWriteIsRead() throws {
        let value = ["a": [["b": 1], ["c": 2]]]
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            let response = NetworkResponse(statusCode: 200, body: try encoder.encode(value), url: URL(filePath: "/"))
            XCTAssertEqual(try response.value(using: PropertyListDecoder()), value)
        }
    }

    func testNoBytesTrap() {
        let seed = Array(binary([[1, 2], [3], [3, 4], [], [3]]))
        for _ in 0..<3_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4) { bytes[Int.random(in: 8..<bytes.count)] = .random(in: 0...255) }
            _ = failure(Data(bytes))
        }
        for length in 0..<seed.count { _ = failure(Data(seed.prefix(length))) }
    }
}
