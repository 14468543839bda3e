import XCTest

@testable import RecordKit
@testable import RecordKitInterceptors

final class HexadecimalTests: XCTestCase {
    func testSixteenDigitsForEachNumber() {
        XCTAssertEqual(Hexadecimal.text(of: 0x0123_4567_89AB_CDEF), "0123456789abcdef")
        XCTAssertEqual(
            Hexadecimal.text(of: 0, .max), String(repeating: "0", count: 16) + String(repeating: "f", count: 16))
        for shift in stride(from: 0, to: 64, by: 4) {
            for digit in UInt64(0)..<16 {
                let number = digit << UInt64(shift)
                let digits = String(number, radix: 16)
                XCTAssertEqual(
                    Hexadecimal.text(of: number), String(repeating: "0", count: 16 - digits.count) + digits)
            }
        }
    }
}
