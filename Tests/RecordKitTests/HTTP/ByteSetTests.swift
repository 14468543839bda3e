import TestSupport
import XCTest

@testable import RecordKit

final class ByteSetTests: TimedTestCase {
    private func characters(of set: ByteSet) -> String {
        String(decoding: (UInt8(0)..<128).filter(set.contains), as: UTF8.self)
    }

    private let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    private func assert(
        _ set: ByteSet, has marks: String, alphanumeric: Bool = true, file: StaticString = #filePath, line: UInt = #line
    ) {
        let expected = marks + (alphanumeric ? letters + "0123456789" : "")
        XCTAssertEqual(characters(of: set), String(expected.sorted()), file: file, line: line)
        XCTAssertFalse(set.contains(128) || set.contains(255), file: file, line: line)
    }

    func testEachSetHasWhatItsStandardLists() {
        assert(.unreserved, has: "-._~")
        assert(.queryItem, has: "-._~!$%'()*+,/:;=@?")
        assert(.form, has: "*-._")
        assert(.path, has: "-._~!$%&'()*+,/:;=@")
        assert(.query, has: "-._~!$%&'()*+,/:;=@?")
        assert(.token, has: "!#$%&'*+-.^_`|~")
        assert(.digits, has: "0123456789", alphanumeric: false)
        assert(.hexadecimal, has: "0123456789ABCDEFabcdef", alphanumeric: false)
    }

    func testSetsOfTextDifferInControlCharactersAndInWhatIsNotASCII() {
        for byte in UInt8.min...UInt8.max {
            let isControl = byte < 32 || byte == 127
            XCTAssertEqual(ByteSet.withoutControls.contains(byte), !isControl)
            XCTAssertEqual(ByteSet.fieldValue.contains(byte), !isControl || byte == 9)
            XCTAssertEqual(ByteSet.printable.contains(byte), !isControl && byte < 128)
            XCTAssertTrue(ByteSet.all.contains(byte))
        }
    }

    func testEveryByteOfATextCounts() {
        XCTAssertTrue(ByteSet.digits.containsAll(of: ""))
        XCTAssertTrue(ByteSet.digits.containsAll(of: "0123456789012345678901234567890123456789"))
        XCTAssertFalse(ByteSet.digits.containsAll(of: "012345678901234567890123456789x"))
        XCTAssertFalse(ByteSet.unreserved.containsAll(of: "é"))
        XCTAssertTrue(ByteSet.fieldValue.containsAll(of: "é"))
        XCTAssertFalse(ByteSet.isToken(""))
        XCTAssertTrue(ByteSet.isToken("X-Till"))
    }
}
