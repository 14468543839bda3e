import TestSupport
import XCTest

@testable import RecordInventory

/// The bars of a page of labels, read as a scanner reads them.
final class LabelTests: TimedTestCase {
    /// The 11 modules of each value of Code 128 as bits, where a bar is 1, and the 13 of the end.
    private static let code128 = """
        6CC 66C 666 498 48C 44C 4C8 4C4 464 648 644 624 59C 4DC 4CE 5CC 4EC 4E6 672 65C 64E 6E4 674 76E 74C 72C 726
        764 734 732 6D8 6C6 636 518 458 446 588 468 462 688 628 622 5B8 58E 46E 5D8 5C6 476 776 68E 62E 6E8 6E2 6EE
        758 746 716 768 762 71A 77A 642 78A 530 50C 4B0 486 42C 426 590 584 4D0 4C2 434 432 612 650 7BA 614 47A 53C
        4BC 49E 5E4 4F4 4F2 7A4 794 792 6DE 6F6 7B6 578 51E 45E 5E8 5E2 7A8 7A2 5DE 5EE 75E 7AE 684 690 69C 18EB
        """.split(whereSeparator: \.isWhitespace).map { Int($0, radix: 16) ?? 0 }

    /// Returns the modules of the bars of each label, `1` for a bar.
    private func bars(of page: String) -> [String] {
        page.matches(of: /viewBox="0 0 (\d+) 1"[^>]*><path d="([^"]*)"/).map { match in
            var modules = [Character](repeating: "0", count: Int(match.1) ?? 0)
            for bar in match.2.matches(of: /M(\d+) 0h(\d+)v1h-\d+z/) {
                for x in 0..<(Int(bar.2) ?? 0) { modules[(Int(bar.1) ?? 0) + x] = "1" }
            }
            XCTAssertEqual(String(modules.prefix(10)) + String(modules.suffix(10)), String(repeating: "0", count: 20))
            return String(modules.dropFirst(10).dropLast(10))
        }
    }

    private func text(ofCode128 modules: String) throws -> String {
        var rest = modules[...]
        XCTAssertEqual(Int(rest.suffix(13), radix: 2), Self.code128.last)
        rest = rest.dropLast(13)
        var values: [Int] = []
        while !rest.isEmpty {
            values.append(try XCTUnwrap(Self.code128.firstIndex(of: Int(rest.prefix(11), radix: 2) ?? -1)))
            rest = rest.dropFirst(11)
        }
        let check = values.removeLast()
        XCTAssertEqual(values.enumerated().map { max($0, 1) * $1 }.reduce(0, +) % 103, check)
        var isC = false
        return values.map { value in
            switch (value, isC) {
            case (104, _), (100, true): isC = false
            case (105, _), (99, false): isC = true
            case (_, true): return value < 10 ? "0\(value)" : "\(value)"
            default: return String(UnicodeScalar(UInt8(value + 32)))
            }
            return ""
        }.joined()
    }

    private static let ascii = String(decoding: 0x21...0x7E, as: UTF8.self)
    /// All characters of set B and all pairs of set C, in SKUs that fit into a label.
    private static let skus =
        [
            "LP-0042", "A", "12", "123", "1234", "12345", "A12345", "A123456", "A1234567B", "1234A", "A1234",
            "K7M2-9QXW-3FGH-2",
        ] + stride(from: 0, to: 94, by: 12).map { String(ascii.dropFirst($0).prefix(12)) }
        + (0..<5).map { part in "8" + (part * 20..<part * 20 + 20).map { $0 < 10 ? "0\($0)" : "\($0)" }.joined() + "Z" }

    func testTheBarsOfAPageAreThoseOfTheSKUs() async throws {
        let till = try Till()
        let rows = Self.skus.map { "\"\($0.replacing("\"", with: "\"\""))\",A,T,1.00,EUR,4006381333931" }
        let header = "sku,artist,title,price,currency,barcode"
        let file = try till.folder.write(([header] + rows).joined(separator: "\n").utf8)
        await till.type("import", file, "--trust-numbers").expect(.done)
        let path = till.folder.path("labels.html")
        await till.type("labels", path).expect(.done)
        let page = try String(contentsOfFile: path, encoding: .utf8)
        let bars = bars(of: page)
        XCTAssertEqual(Set(try bars.map(text(ofCode128:))), Set(Self.skus))
        XCTAssertEqual(page.matches(of: /<section>/).count, (Self.skus.count + 23) / 24)
        // A pair of digits is one character, if there are enough.
        XCTAssertEqual(try XCTUnwrap(BarPattern.code128("1234")).modules, 11 * 4 + 13)
        await till.type("labels", path, "--ean", "--where", "sku=LP-0042", "--replace").expect(.done)
        let ean = self.bars(of: try String(contentsOfFile: path, encoding: .utf8))
        // The first digit 4 is in the sets L G L L G G.
        let left = ["0001101", "0100111", "0101111", "0111101", "0001001", "0110011"]
        let right = ["1000010", "1000010", "1000010", "1110100", "1000010", "1100110"]
        XCTAssertEqual(ean, ["101" + left.joined() + "01010" + right.joined() + "101"])
        try read(bars + ean, as: Self.skus + ["4006381333931"])
    }

    /// Draws bars and reads them with other programs.
    private func read(_ codes: [String], as texts: [String]) throws {
        guard let draw = Self.find("rsvg-convert"), let scan = Self.find("zbarimg") else { return }
        let folder = try TemporaryFolder()
        let read = try codes.map { code in
            let shapes = code.enumerated().filter { $1 == "1" }
                .map { #"<rect x="\#($0.offset + 10)" width="1" height="60"/>"# }.joined()
            let width = code.count + 20
            let drawing = """
                <svg xmlns="http://www.w3.org/2000/svg" width="\(width * 3)" height="180" viewBox="0 0 \(width) 60">
                <rect width="\(width)" height="60" fill="white"/>\(shapes)</svg>
                """
            let file = try folder.write(drawing.utf8, to: "bars.svg")
            _ = try Self.output(of: draw, file, "-o", file + ".png")
            let read = try Self.output(
                of: scan, "--quiet", "--raw", "-Sdisable", "-Scode128.enable", "-Sean13.enable", file + ".png")
            return String(read.dropLast())
        }
        XCTAssertEqual(Set(read), Set(texts))
    }

    private static func find(_ program: String) -> String? {
        let path = "/usr/bin/\(program)"
        if FileManager.default.isExecutableFile(atPath: path) { return path }
        print("The bars of labels were not read: \(program) is not installed.")
        return nil
    }

    private static func output(of program: String, _ arguments: String...) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, program)
        return String(decoding: output, as: UTF8.self)
    }
}
