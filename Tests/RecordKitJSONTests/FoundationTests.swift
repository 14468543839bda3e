import RecordKitJSON
import TestSupport
import XCTest

/// Compares with Foundation: whatever one of both decodes, the other decodes to the same value, and fails where the
/// other does. Differences that are meant are in the guide's table, and here.
final class FoundationTests: XCTestCase {
    /// Decodings of a document into types of every kind.
    private static let decodings: [(String, @Sendable (Data) -> Outcome)] = [
        compare(Album.self), compare([Album].self), compare(Payment.self), compare([Payment].self),
        compare(Numbers.self), compare([Int].self), compare([Int8].self), compare([UInt64].self),
        compare([Double].self), compare([Float].self), compare([Bool?].self), compare([String?].self),
        compare([String: Int].self), compare([Int: String].self), compare([[Int?]].self), compare(Interleaved.self),
        compare([String: [String: Double]].self), compare([Decimal].self), compare([URL].self), compare([Data].self),
        compare(Bool.self), compare(Int.self), compare(Double.self), compare(String.self), compare(Decimal.self),
        compare(Optional<Int>.self), compare(Optional<Album.Label>.self), compare([Album.Format: Int].self),
    ]

    private enum Outcome: Equatable {
        case same
        case differs(ours: String, theirs: String)
    }

    private static func compare<Value: Decodable & Equatable & SendableMetatype>(
        _ type: Value.Type
    ) -> (String, @Sendable (Data) -> Outcome) {
        (
            "\(type)",
            { data in
                let ours = Result { try JSONReader().decode(Value.self, from: data) }
                let theirs = Result { try JSONDecoder().decode(Value.self, from: data) }
                switch (ours, theirs) {
                case (.success(let ours), .success(let theirs)) where ours == theirs: return .same
                case (.failure(let ours), .failure(let theirs)):
                    // Foundation tells no path for a number that doesn't fit, and finds the faults of a dictionary in
                    // any order.
                    let (path, expected) = (path(ours), path(theirs))
                    if path == expected || expected.isEmpty || "\(type)".contains("Dictionary") { return .same }
                    return .differs(ours: "\(ours)", theirs: "\(theirs)")
                default: return .differs(ours: "\(ours)", theirs: "\(theirs)")
                }
            }
        )
    }

    private static func path(_ error: any Error) -> [String] {
        let context: DecodingError.Context
        switch error as? DecodingError {
        case .keyNotFound(let key, let found):
            return found.codingPath.map(\.stringValue) + ["missing", key.stringValue]
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
        default: return ["\(error)"]
        }
        return context.codingPath.map(\.stringValue)
    }

    func testDecodesAsFoundationDoes() throws {
        var documents = Self.documents
        var generator = SplitMix(seed: 42)
        let count = Int(ProcessInfo.processInfo.environment["RECORDKIT_JSON_DOCUMENTS"] ?? "") ?? 2_000
        for _ in 0..<count {
            var bytes = Array(Self.documents.randomElement(using: &generator)?.utf8 ?? "".utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) { mutate(&bytes, &generator) }
            documents.append(String(decoding: bytes, as: UTF8.self))
        }
        var differences = 0
        for document in documents {
            for (name, compare) in Self.decodings {
                guard case .differs(let ours, let theirs) = compare(Data(document.utf8)) else { continue }
                if isMeant(document, ours) { continue }
                differences += 1
                if differences <= 40 { XCTFail("\(name) of \(document)\nours: \(ours)\ntheirs: \(theirs)") }
            }
        }
        XCTAssertEqual(differences, 0)
    }

    /// The differences that are meant.
    private func isMeant(_ document: String, _ ours: String) -> Bool {
        // Foundation doesn't look at all that it doesn't read. Where it does, it agrees.
        if ours.contains("The data isn't JSON") {
            let read = try? JSONSerialization.jsonObject(with: Data(document.utf8), options: .fragmentsAllowed)
            // It accepts a comma at the end of an array or object.
            return read == nil || document.contains(/,\s*[\]}]/)
        }
        // Foundation takes 0e5, which RFC 8259 allows, for a number that begins with 0, and fails for one so small that
        // zero is the nearest. It reads 9007199254740992.5 as an integer.
        return document.contains(/0[eE]|[eE]-\d\d|\d{15}\.\d/)
    }

    private static let documents = [
        (try? String(decoding: JSONEncoder().encode(Album.sample), as: UTF8.self)) ?? "",
        #"[{"cash":{}},{"card":{"number":"1","year":2}},{"voucher":{"_0":3}}]"#, #"{"voucher":{"_0":3}}"#,
        #"{"a":1,"b":-2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":18446744073709551615,"j":1.5,"k":-2.5e-3,"l":0}"#,
        "[1,2,3]", "[127,-128,128,1.0,1e2,1.5,-0,0e5,1e-1,100e-2]", "[18446744073709551615,18446744073709551616]",
        "[9007199254740993,9223372036854775807,-9223372036854775808,9223372036854775808]",
        "[0.1,1e22,1e23,123456789012345678,1.7976931348623157e308,5e-324,2.2250738585072014e-308,-0.0]",
        "[3.4028235e38,1.4e-45,0.3,16777217,1e10,1e11]", "[true,false,null]", #"["a",null,"\u00e9\ud83c\udfb7"]"#,
        #"{"a":1,"b":2,"a":3}"#, #"{"1":"a","-2":"b"}"#, "[[1,null],[],[2]]",
        #"{"first":[1,[null],{"third":null}],"second":{"first":2},"third":3}"#,
        #"{"a":{"b":1.5},"c":{}}"#, "[1.25,1e30,12345678901234567890123456789012345678,0.000001,-1]",
        #"["https://example.com/a b","/x"]"#, #"["AAEC","","A"]"#, "true", "17", "1.5", "null", #""text""#, "{}", "[]",
        #"{"name":"x","country":"y"}"#, #"{"vinyl":1,"disc":2}"#, #"{"é":1,"e\u0301":2}"#,
        #"["vinyl",1,"disc",2]"#,
    ]
}

/// Changes a byte or a few, mostly to what means something in JSON.
func mutate(_ bytes: inout [UInt8], _ generator: inout SplitMix) {
    let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "1", "0", "-", ".", "e", "null", "true", "\"a\"", " ", "\\u0041", "é",
        "9", "1e5", "0.5",
    ]
    let position = Int.random(in: 0...bytes.count, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0 where position < bytes.count: bytes.remove(at: position)
    case 1 where position < bytes.count:
        bytes.replaceSubrange(position...position, with: Array((pieces.randomElement(using: &generator) ?? "").utf8))
    case 2 where position < bytes.count:
        let end = Int.random(in: position...bytes.count, using: &generator)
        let part = Array(bytes[position..<min(end, position + 20)])
        bytes.insert(contentsOf: part, at: Int.random(in: 0...bytes.count, using: &generator))
    default: bytes.insert(contentsOf: Array((pieces.randomElement(using: &generator) ?? "").utf8), at: position)
    }
}
