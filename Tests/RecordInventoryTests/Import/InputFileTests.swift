import TestSupport
import XCTest

@testable import RecordInventory

final class InputFileTests: TimedTestCase {
    private let row = "sku;artist;title\nSKU-1;Die Übungsgruppe;Café à la carte\n"

    private func refusal(of bytes: some Sequence<UInt8>, encoding: TextEncoding? = nil) throws -> ImportError? {
        let folder = try TemporaryFolder()
        do {
            _ = try InputFile(folder.write(bytes, to: "x.csv"), encoding: encoding)
            return nil
        } catch let error as ImportError {
            return error
        }
    }

    private func guess(_ encoding: String.Encoding, _ text: String? = nil) throws -> EncodingGuess? {
        let data = try XCTUnwrap((text ?? row).data(using: encoding))
        guard case .encoding(_, let guess, _) = try refusal(of: data) else { return nil }
        return guess
    }

    func testNamesTheEncodingThatAFileLooksLike() throws {
        XCTAssertNil(try guess(.utf8))
        XCTAssertEqual(try guess(.windowsCP1252), .windows1252)
        XCTAssertEqual(try guess(.windowsCP1252, "Don’t – “Stop”…, Übung, š, 5 €"), .windows1252)
        XCTAssertEqual(try guess(.isoLatin1), .windows1252)
        XCTAssertEqual(try guess(.utf16), .utf16LittleEndian)
        XCTAssertEqual(try guess(.utf16LittleEndian), .utf16LittleEndian)
        XCTAssertEqual(try guess(.utf16BigEndian), .utf16BigEndian)
        XCTAssertEqual(try guess(.utf16BigEndian, "\u{FEFF}plain"), .utf16BigEndian)
        XCTAssertEqual(try guess(.utf16LittleEndian, "plain"), .utf16LittleEndian)
        XCTAssertEqual(try guess(.utf32), .utf32)
    }

    /// The input is bytes, because Foundation on Linux does not encode Mac OS Roman correctly.
    func testKnowsMacRoman() throws {
        let bytes = Array("sku;Die ".utf8) + [0x86] + Array("bungsgruppe;Caf".utf8) + [0x8E, 0x20, 0x88, 0x20]
        guard case .encoding(_, .macRoman, 1) = try refusal(of: bytes) else { return XCTFail("not Mac OS Roman") }
    }

    func testKnowsCyrillicAndDOS() throws {
        let cyrillic = Array("sku;".utf8) + [0xCA, 0xE8, 0xED, 0xEE, 0x20, 0xE3, 0xF0, 0xF3, 0xEF, 0xEF, 0xE0]
        guard case .encoding(_, .windows1251, 1) = try refusal(of: cyrillic) else { return XCTFail("not CP1251") }
        let dos = Array("sku;K".utf8) + [0x84] + Array("se;h".utf8) + [0x94] + Array("ren".utf8)
        guard case .encoding(_, .codePage850, 1) = try refusal(of: dos) else { return XCTFail("not CP850") }
    }

    func testDecodesAFileInANamedEncoding() throws {
        let folder = try TemporaryFolder()
        for (name, bytes, text) in [
            ("cp850", [0x84, 0x81, 0xE1, 0x9B, 0xD5, 0xFF], "äüßøı\u{A0}"),
            ("CP1251", [0xCA, 0xE8, 0xED, 0xEE], "Кино"),
            ("windows-1251", [0xCF], "П"), ("windows-1252", [0x80, 0xE9], "€é"), ("macintosh", [0x8A], "ä"),
            ("utf-16le", [0xFF, 0xFE, 0x61, 0], "a"), ("utf-8", [0xEF, 0xBB, 0xBF, 0x61], "a"), ("IBM850", [], ""),
        ] as [(String, [UInt8], String)] {
            let file = try InputFile(folder.write(bytes), chunkSize: 3, encoding: TextEncoding(name))
            var read: [UInt8] = []
            while case let more = try file.read(), !more.isEmpty { read += more }
            XCTAssertEqual(String(decoding: read, as: UTF8.self), text, name)
            XCTAssertEqual(file.fractionRead, 1)
        }
        XCTAssertThrowsError(try InputFile(folder.write([0xFF]), encoding: TextEncoding("utf-8"))) { error in
            XCTAssertTrue("\(error)".contains("is not text in the encoding utf-8"), "\(error)")
        }
        XCTAssertThrowsError(try TextEncoding("cp999"))
    }

    func testLeavesOutByteOrderMarksAndTheEndMarkOfDOS() throws {
        let folder = try TemporaryFolder()
        for (text, content) in [
            ("\u{FEFF}\u{FEFF}a\u{FEFF}", "a\u{FEFF}"), ("a\n\u{1A}", "a\n"), ("a\u{1A}", "a"),
            ("a\u{1A}\u{1A}b\u{1A}", "a\u{1A}\u{1A}b"), ("\u{1A}", ""), ("\u{FEFF}", ""),
        ] {
            for size in [1, 2, 100] {
                let file = try InputFile(folder.write(text.utf8), chunkSize: size)
                var read: [UInt8] = []
                while case let more = try file.read(), !more.isEmpty { read += more }
                XCTAssertEqual(String(decoding: read, as: UTF8.self), content, "\(size): \(text.debugDescription)")
            }
        }
    }

    func testRefusesWhatIsNoText() throws {
        for (start, name) in [
            ([0x50, 0x4B, 3, 4], "a ZIP archive or a spreadsheet"),
            ([0xD0, 0xCF, 0x11, 0xE0], "an old Excel workbook"),
            (Array("%PDF".utf8), "a PDF document"),
        ] as [([UInt8], String)] {
            for encoding in [nil, try TextEncoding("windows-1252")] {
                let workbook = try XCTUnwrap(refusal(of: start + [20, 0, 0, 0, 8, 0xFF], encoding: encoding))
                XCTAssertTrue(workbook.description.contains(" is \(name), and import reads CSV"), workbook.description)
            }
        }
        let binary = try XCTUnwrap(refusal(of: Array("abc".utf8) + [0, 1, 2]))
        XCTAssertTrue(binary.description.contains("no text at all"), binary.description)
    }

    func testSaysWhichFileAndLine() throws {
        let error = try XCTUnwrap(refusal(of: Array("a\nb\nc\u{DC}".unicodeScalars.map { UInt8($0.value) })))
        XCTAssertTrue(
            error.description.contains("x.csv is not UTF-8: line 3 looks like Windows-1252"), error.description)
    }

    /// An interrupted copy or download leaves such a file. It was UTF-8, and saving it again would keep it cut off.
    func testSaysOfAFileThatIsCutThatItIsNotWhole() throws {
        let cut = try XCTUnwrap(refusal(of: Array("sku\nÜbung;Caf".utf8) + [0xC3]))
        XCTAssertTrue(
            cut.description.contains("x.csv ends within a character, in line 2: it is incomplete"), cut.description)
        let other = try XCTUnwrap(refusal(of: Array("sku\nCaf".utf8) + [0xE9]))
        XCTAssertTrue(other.description.contains("line 2 looks like Windows-1252"), other.description)
    }

    func testChecksTheWholeFileBeforeItHandsOutAnything() throws {
        let lines = String(repeating: "plain text\n", count: 20_000)
        guard case .encoding(_, .windows1252, 20_001) = try refusal(of: Array(lines.utf8) + [0x61, 0xFC, 0x62]) else {
            return XCTFail("the wrong byte at the end was not found")
        }
    }

    func testReadsAPipeAndFindsWrongBytesOnTheWay() throws {
        let pipe = Pipe()
        let input = try InputFile("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
        XCTAssertNil(input.fractionRead)
        try pipe.fileHandleForWriting.write(contentsOf: Data("hello\n".utf8))
        XCTAssertEqual(try input.read(), Array("hello\n".utf8))
        try pipe.fileHandleForWriting.write(contentsOf: Data([0x61, 0xFF]))
        XCTAssertThrowsError(try input.read())
    }

    func testKnowsHowFarItIs() throws {
        let folder = try TemporaryFolder()
        let input = try InputFile(folder.write(Array(repeating: 0x61, count: 100)), chunkSize: 50)
        XCTAssertEqual(input.fractionRead, 0)
        XCTAssertEqual(try input.read().count, 50)
        XCTAssertEqual(input.fractionRead, 0.5)
        XCTAssertEqual(try input.read().count, 50)
        XCTAssertEqual(try input.read(), [])
        XCTAssertEqual(input.fractionRead, 1)
    }

    func testSaysWhyAFileCannotBeRead() throws {
        let folder = try TemporaryFolder()
        for (path, reason) in [(folder.path("none.csv"), "there is no such file"), (folder.url.path, "it is a folder")]
        {
            XCTAssertThrowsError(try InputFile(path).read()) { error in
                XCTAssertEqual("\(error)", "\(path) could not be read: \(reason)")
            }
        }
    }
}
