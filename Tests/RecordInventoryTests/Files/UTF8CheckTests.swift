import TestSupport
import XCTest

@testable import RecordInventory

final class UTF8CheckTests: TimedTestCase {
    private func isText(_ bytes: [UInt8], inPiecesOf size: Int) -> Bool {
        var check = UTF8Check()
        for start in stride(from: 0, to: bytes.count, by: size)
        where check.firstError(in: Array(bytes[start..<min(bytes.count, start + size)])) != nil {
            return false
        }
        return check.isComplete
    }

    func testAgreesWithTheStandardLibrary() {
        var generator = SeededGenerator(seed: 11)
        let bytes: [UInt8] = [
            0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
            0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        var good = 0
        for _ in 0..<100_000 {
            var text = Array(repeating: UInt8(ascii: "a"), count: Int.random(in: 0...9, using: &generator))
            text += (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                bytes.randomElement(using: &generator) ?? 0
            }
            let expected = String(validating: text, as: UTF8.self) != nil
            good += expected ? 1 : 0
            XCTAssertEqual(isText(text, inPiecesOf: .max / 2), expected, "\(text)")
            XCTAssertEqual(isText(text, inPiecesOf: 1), expected, "\(text)")
        }
        XCTAssertGreaterThan(good, 1_000)
    }

    func testFindsTheFirstWrongByteAndItsLine() {
        for (wrong, index) in [([UInt8(0xFF)], 0), ([0x00], 0), ([0xC3, 0x41], 1), ([0xED, 0xA0], 1)] {
            var check = UTF8Check()
            XCTAssertNil(check.firstError(in: Array("erste Übung\nzweite\n".utf8)))
            XCTAssertEqual(check.firstError(in: Array("lang und breit\nx".utf8) + wrong), 16 + index)
            XCTAssertEqual(check.line, 4)
        }
    }

    func testEveryLineEndCountsOnce() {
        for end in ["\n", "\r", "\r\n"] {
            let bytes = Array("a\(end)\(end)b\(end)".utf8)
            for size in [1, 2, bytes.count] {
                var check = UTF8Check()
                for start in stride(from: 0, to: bytes.count, by: size) {
                    XCTAssertNil(check.firstError(in: Array(bytes[start..<min(bytes.count, start + size)])))
                }
                XCTAssertEqual(check.firstError(in: [0xFF]), 0)
                XCTAssertEqual(check.line, 4, "\(end.debugDescription) in pieces of \(size)")
            }
        }
    }
}
