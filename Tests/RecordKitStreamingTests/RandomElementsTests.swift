import Foundation
import RecordKit
import TestSupport
import XCTest

/// Random lists, split at random, have the same elements as when they are decoded whole. `RECORDKIT_SOAK=1` runs 100,000
/// rounds.
final class RandomElementsTests: TimedTestCase {
    private static let rounds = ProcessInfo.processInfo.environment["RECORDKIT_SOAK"] == "1" ? 100_000 : 2_000

    func testRandomListsSplitAtRandom() async throws {
        var random = RandomJSON(seed: 25)
        for round in 0..<Self.rounds {
            let elements = (0..<random.number(below: 8)).map { _ in random.value(levels: 4) }
            let (body, type, path) = random.body(of: elements)
            let expected = try whole("[\(elements.joined(separator: ","))]")
            let outcome = await Outcome(random.chunks(of: Data(body.utf8)), type, at: path)
            XCTAssertEqual(outcome.elements, expected, "round \(round): \(body.debugDescription)")
            XCTAssertNil(outcome.error, "round \(round): \(body.debugDescription)")
        }
    }

    /// A body with random changes is read if and only if it can be decoded whole.
    func testRandomDamage() async throws {
        var random = RandomJSON(seed: 8259)
        for round in 0..<Self.rounds {
            let elements = (0..<random.number(below: 4)).map { _ in random.value(levels: 3) }
            var body = Data("[\(elements.joined(separator: ","))]".utf8)
            for _ in 0...random.number(below: 2) { random.damage(&body) }
            // Foundation reads a body with such a byte as UTF-16 or UTF-32.
            let expected = body.contains(0) ? nil : try? JSONDecoder().decode([JSONNode].self, from: body)
            let outcome = await Outcome(random.chunks(of: body), nil)
            let text = "round \(round): \(String(decoding: body, as: UTF8.self).debugDescription)"
            if let expected {
                XCTAssertEqual(outcome.elements, expected, text)
                XCTAssertNil(outcome.error, text)
            } else {
                guard case .decoding = outcome.error else { return XCTFail(text) }
            }
        }
    }

    private func whole(_ text: String) throws -> [JSONNode] {
        try JSONDecoder().decode([JSONNode].self, from: Data(text.utf8))
    }
}

/// Writes random JSON.
private struct RandomJSON {
    private var random: SplitMix

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
    }

    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func one<Value>(of values: [Value]) -> Value { values[number(below: values.count)] }

    mutating func value(levels: Int) -> String {
        switch number(below: levels > 0 ? 6 : 4) {
        case 0: return one(of: ["true", "false", "null"])
        case 1: return one(of: ["0", "-1", "25", "1.5e3", "-0.25", "9007199254740993"])
        case 2, 3: return string()
        case 4:
            return "[" + space() + (0..<number(below: 4)).map { _ in value(levels: levels - 1) }.joined(separator: ",")
                + "]"
        default:
            let members = (0..<number(below: 4)).map { "\"\($0)\(string().dropFirst()):\(value(levels: levels - 1))" }
            return "{" + members.joined(separator: space() + ",") + space() + "}"
        }
    }

    private mutating func string() -> String {
        let parts = [
            "a", "]", "}", "[", "{", ",", ":", "\\\"", "\\\\", "\\n", "\\u005d", "\\ud834\\udd1e", "ü", "€", "𝄞", " ",
        ]
        return "\"" + (0..<number(below: 6)).map { _ in one(of: parts) }.joined() + "\""
    }

    private mutating func space() -> String { one(of: ["", "", " ", "\t", "\r"]) }

    /// Returns a body with the elements, in any format, and where they are.
    mutating func body(of elements: [String]) -> (body: String, type: String?, path: String?) {
        let padded = elements.map { space() + $0 + space() }
        switch number(below: 4) {
        case 0: return ("[\(padded.joined(separator: ",\n"))]\n", "application/json", nil)
        case 1:
            let list = "{\(string()):1,\"b\": [\(padded.joined(separator: ","))],\(string()):\(value(levels: 2))}"
            return ("{\"x\":\(value(levels: 3)),\"a\":\(list)\(space())}", nil, "a.b")
        case 2:
            let lines = padded.map { $0 + one(of: ["\n", "\r\n", "\n\n"]) }.joined()
            return (number(below: 2) == 0 ? lines : lines.trimmingCharacters(in: .newlines), "application/jsonl", nil)
        default: return (padded.map { "\u{1E}\($0)\n" }.joined(), "application/json-seq", nil)
        }
    }

    mutating func chunks(of bytes: Data) -> [Data] {
        var chunks: [Data] = []
        var rest = bytes
        while !rest.isEmpty {
            let count = 1 + number(below: rest.count)
            chunks.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return chunks
    }

    /// Changes, inserts or removes a byte.
    mutating func damage(_ bytes: inout Data) {
        let byte = one(of: Array("[]{},:\"\\ \n1x".utf8) + [0x00, 0x1E, 0x80, 0xEF])
        let place = number(below: bytes.count + 1)
        switch number(below: 3) {
        case 0: bytes.insert(byte, at: place)
        case 1: if place < bytes.count { bytes[place] = byte }
        default: if place < bytes.count { bytes.remove(at: place) }
        }
    }
}
