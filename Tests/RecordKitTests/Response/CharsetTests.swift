import TestSupport
import XCTest

@testable import RecordKit

final class CharsetTests: TimedTestCase {
    private func text(_ bytes: [UInt8], _ charset: String) throws -> String {
        try String(Data(bytes), charset: charset)
    }

    /// A word in each charset, with characters in which it differs from its neighbors.
    func testTheCharsets() throws {
        let rows: [(charset: String, bytes: [UInt8], text: String)] = [
            ("utf-8", [0xC3, 0xA9], "é"), ("utf-8", [0xEF, 0xBB, 0xBF, 0x61], "a"), ("us-ascii", [0x61], "a"),
            ("utf-16le", [0x61, 0, 0xAC, 0x20], "a€"), ("utf-16le", [0xFF, 0xFE, 0x61, 0], "a"),
            ("utf-16be", [0, 0x61, 0x20, 0xAC], "a€"),
            ("utf-16", [0xFF, 0xFE, 0x61, 0], "a"), ("utf-16", [0xFE, 0xFF, 0, 0x61], "a"),
            ("utf-32", [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61], "a"),
            ("iso-8859-1", [0xDC, 0x62, 0x80, 0x93, 0x81, 0xFF], "Üb€“\u{81}ÿ"),
            ("windows-1252", [0x99, 0x9F, 0xA0], "™Ÿ\u{A0}"), ("iso-8859-2", [0xB1, 0xE8], "ąč"),
            ("iso-8859-3", [0xE6], "ĉ"), ("iso-8859-4", [0xB6], "ļ"), ("iso-8859-5", [0xBF, 0xF0], "П№"),
            ("iso-8859-6", [0xC7], "ا"), ("iso-8859-7", [0xE1], "α"), ("iso-8859-8", [0xE0], "א"),
            ("iso-8859-9", [0xFD, 0x80], "ı€"), ("iso-8859-10", [0xA8], "Ļ"), ("iso-8859-13", [0xE1], "į"),
            ("iso-8859-14", [0xFE], "ŷ"), ("iso-8859-15", [0xA4, 0xBD], "€œ"), ("iso-8859-16", [0xAA], "Ș"),
            ("koi8-r", [0xEB, 0xEF, 0xE9], "КОИ"), ("koi8-u", [0xA4, 0xA6], "єі"), ("ibm866", [0x8F, 0xE0], "Пр"),
            ("macintosh", [0x8E], "é"), ("x-mac-cyrillic", [0x80, 0xDF], "Ая"),
            ("windows-874", [0xA1, 0x80], "ก€"), ("windows-1250", [0x9A, 0x8A], "šŠ"),
            ("windows-1251", [0xCF, 0xB8], "Пё"), ("windows-1253", [0xE1, 0x81], "α\u{81}"),
            ("windows-1254", [0xFE], "ş"), ("windows-1255", [0xE0], "א"), ("windows-1256", [0xC7, 0x81], "اپ"),
            ("windows-1257", [0xE0], "ą"), ("windows-1258", [0xFE], "₫"),
            ("gbk", [0xC4, 0xE3, 0x80], "你€"), ("gb2312", [0xBA, 0xC3], "好"),
            ("gb18030", [0x81, 0x30, 0x84, 0x36], "¥"),
            ("big5", [0xA7, 0x41], "你"), ("euc-kr", [0xC7, 0xD1, 0x8C, 0x63], "한똠"), ("euc-jp", [0xA4, 0xA2], "あ"),
            ("shift_jis", [0x82, 0xA0, 0x87, 0x40, 0x5C, 0xB1], "あ①\\ｱ"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42, 0x21], "あ!"),
        ]
        for (charset, bytes, expected) in rows { XCTAssertEqual(try text(bytes, charset), expected, charset) }
    }

    /// EUC-JP, ISO-2022-JP and Shift_JIS write the same characters: all rows of JIS X 0208, and the extensions.
    func testTheCharsetsOfJapanese() throws {
        var count = 0
        for row in UInt8(1)...94 {
            for cell in UInt8(1)...94 {
                let lead = (row + 1) / 2 + (row < 63 ? 0x80 : 0xC0)
                let trail = row % 2 == 0 ? cell + 0x9E : cell + 0x3F + (cell > 63 ? 1 : 0)
                let expected = try? text([lead, trail], "shift_jis")
                if expected != nil { count += 1 }
                XCTAssertEqual(try? text([row + 0xA0, cell + 0xA0], "euc-jp"), expected, "\(row) \(cell)")
                XCTAssertEqual(
                    try? text([0x1B, 0x24, 0x42, row + 0x20, cell + 0x20, 0x1B, 0x28, 0x42], "iso-2022-jp"), expected)
            }
        }
        XCTAssertEqual(count, 7336)
        XCTAssertEqual(try text([0xAD, 0xA1, 0xAD, 0xEA, 0xFC, 0xE2, 0xF9, 0xF5], "euc-jp"), "①㈱髙﨑")
        XCTAssertEqual(try text([0x61, 0x8E, 0xB1, 0x8F, 0xB0, 0xA1, 0x8F, 0xB0, 0xA2, 0x5C], "euc-jp"), "aｱ丂丄\\")
        XCTAssertEqual(
            try text(
                [0x1B, 0x28, 0x4A, 0x5C, 0x61, 0x7E, 0x1B, 0x28, 0x49, 0x31, 0x1B, 0x24, 0x40, 0x2D, 0x6A],
                "iso-2022-jp"),
            "¥a‾ｱ㈱")
        for bytes in [[0xA4, 0x41], [0x80], [0x8E, 0x41], [0x8F, 0xB0], [0xFF, 0xA1], [0xFD, 0xA1]] as [[UInt8]] {
            XCTAssertThrowsError(try text(bytes, "euc-jp"), "\(bytes)")
        }
        for bytes in [[0x80], [0x1B, 0x28], [0x1B, 0x24, 0x42, 0x21], [0x1B, 0x28, 0x49, 0x60]] as [[UInt8]] {
            XCTAssertThrowsError(try text(bytes, "iso-2022-jp"), "\(bytes)")
        }
    }

    /// Labels of the Encoding Standard that glibc doesn't know, and others that servers send.
    func testNamesOfCharsets() throws {
        let rows: [(expected: String, bytes: [UInt8], names: [String])] = [
            (
                "é", [0xE9],
                ["ISO8859-1", "iso_8859-1:1987", "iso88591", "latin1", "l1", "cp819", "x-cp1252", "\"latin1\""]
            ),
            (
                "é", [0xC3, 0xA9],
                ["UTF8", "utf8mb4", "'utf-8'", "unicode-1-1-utf-8", "x-unicode20utf8", " utf-8 ", "UTF_8", "us-ascii"]
            ),
            ("한", [0xC7, 0xD1], ["ks_c_5601-1987", "korean", "windows-949", "cseuckr", "KSC_5601", "iso-ir-149"]),
            ("あ", [0x82, 0xA0], ["Shift-JIS", "x-sjis", "ms_kanji", "windows-31j", "ms932", "csShiftJIS"]),
            ("П", [0xCF], ["x-cp1251", "CP1251"]), ("Ш", [0xC8], ["csisolatincyrillic", "cyrillic", "iso-ir-144"]),
            ("你", [0xC4, 0xE3], ["x-gbk", "chinese", "gb_2312-80", "csgb2312", "iso-ir-58"]),
            ("你", [0xA7, 0x41], ["cn-big5", "x-x-big5", "Big5-HKSCS"]),
            ("א", [0xE0], ["logical", "visual", "iso-8859-8-i"]),
            ("ก", [0xA1], ["tis-620", "dos-874", "iso-8859-11"]), ("ı", [0xFD], ["latin5", "iso_8859-9:1989"]),
        ]
        for (expected, bytes, names) in rows {
            for name in names { XCTAssertEqual(try text(bytes, name), expected, name) }
        }
        // None of the system's other names, suffixes and paths.
        for name in [
            "klingon", "", "\"", "utf-7", "ebcdic-us", "utf-8//IGNORE", "../gbk.so", "iso-2022-kr", "hz-gb-2312", "é",
        ] {
            XCTAssertThrowsError(try text([0x61], name), name) { error in
                XCTAssertEqual(error as? NetworkResponse.ReadingError, .unknownCharset(name))
            }
        }
    }

    func testBytesThatAreNotValid() {
        let rows: [(String, [UInt8])] = [
            ("utf-8", [0xFF]), ("us-ascii", [0xE9]), ("utf-16", [0, 0x61, 0]), ("utf-16le", [0x61, 0, 0]),
            ("utf-32", [0, 0, 0, 0x61, 0]), ("gbk", [0xC4]), ("gbk", [0x61, 0xC4, 0x20]), ("euc-kr", [0xFF]),
            ("big5", [0xA7]), ("shift_jis", [0x82]), ("iso-8859-3", [0xA5]), ("windows-1253", [0xD2]),
            ("iso-2022-jp", [0x1B, 0x24]), ("euc-jp", [0xA4]),
        ]
        for (charset, bytes) in rows {
            XCTAssertThrowsError(try text(bytes, charset), charset) { error in
                XCTAssertEqual(error as? NetworkResponse.ReadingError, .invalidText(charset: charset))
            }
        }
    }

    /// Characters at each boundary of the converter's buffer.
    func testLongTexts() throws {
        for count in [0, 1, 5_460, 5_461, 5_462, 8_192, 16_384, 100_000] {
            var bytes: [UInt8] = [0x61]
            for _ in 0..<count { bytes += [0xC4, 0xE3] }
            XCTAssertEqual(try text(bytes, "gbk"), "a" + String(repeating: "你", count: count))
        }
        XCTAssertEqual(try text([UInt8](repeating: 0x81, count: 50_000), "windows-1253").unicodeScalars.count, 50_000)
    }

    /// JSON is UTF-8, whatever it says (RFC 8259 section 11).
    func testJSONInAnotherCharset() throws {
        func response(_ bytes: Data, _ type: String) throws -> NetworkResponse {
            NetworkResponse(
                statusCode: 200, headers: ["Content-Type": type], body: bytes,
                url: try XCTUnwrap(URL(string: "https://a.test")))
        }
        let (utf8, latin) = (Data("[\"é\"]".utf8), Data([0x5B, 0x22, 0xE9, 0x22, 0x5D]))
        let types = [
            "application/json; charset=iso-8859-1", "application/problem+json; charset=latin1",
            "text/json; charset=\"cp1252\"",
        ]
        for type in types {
            for body in [utf8, latin] {
                XCTAssertEqual(try response(body, type).value(as: [String].self), ["é"], type)
                XCTAssertEqual(try response(body, type).value(as: [String]?.self), ["é"], type)
                XCTAssertEqual(try response(body, type).value(as: String.self), "[\"é\"]", type)
            }
        }
        XCTAssertEqual(try response(utf8, "application/json; charset=klingon").value(as: String.self), "[\"é\"]")
        XCTAssertEqual(try response(utf8, "application/json; charset=klingon").value(as: [String].self), ["é"])
        XCTAssertEqual(
            try response(Data([0x5B, 0, 0x5D, 0]), "application/json; charset=utf-16le").value(as: String.self), "[]")
        for type in ["application/json", "application/json; charset=utf-8", "application/json; charset=klingon"] {
            XCTAssertThrowsError(try response(latin, type).value(as: [String].self), type)
        }
        // Another type says what it is.
        XCTAssertEqual(try response(utf8, "text/plain; charset=latin1").value(as: String.self), "[\"Ã©\"]")
    }
}
