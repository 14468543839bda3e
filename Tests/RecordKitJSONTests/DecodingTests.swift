import RecordKitJSON
import TestSupport
import XCTest

final class DecodingTests: XCTestCase {
    private func decode<Value: Decodable>(
        _ type: Value.Type, _ text: String, _ change: (inout JSONReader) -> Void = { _ in }
    ) throws -> Value {
        var reader = JSONReader()
        change(&reader)
        return try reader.decode(type, from: Data(text.utf8))
    }

    private func decode<Value: Decodable>(
        _ text: String, _ change: (inout JSONReader) -> Void = { _ in }
    ) throws -> Value { try decode(Value.self, text, change) }

    func testIntegersAreExact() throws {
        XCTAssertEqual(try decode([Int].self, "[1.0,1.50e2,100e-2,-0,0e99,1e0,-0.0]"), [1, 150, 1, 0, 0, 1, 0])
        XCTAssertEqual(try decode(Int.self, "9223372036854775807"), .max)
        XCTAssertEqual(try decode(Int.self, "-9223372036854775808"), .min)
        XCTAssertEqual(try decode(Int.self, "922337203685477580.7e1"), .max)
        XCTAssertEqual(try decode(UInt64.self, "18446744073709551615"), .max)
        XCTAssertEqual(try decode(Int128.self, "-170141183460469231731687303715884105728"), .min)
        XCTAssertEqual(try decode([UInt128].self, "[340282366920938463463374607431768211455]"), [.max])
        XCTAssertEqual(
            try decode([String: Int128].self, #"{"a":170141183460469231731687303715884105727}"#), ["a": .max])
        let failing = [
            "1.5", "9007199254740992.5", "9223372036854775808", "-9223372036854775809", "1e19", "1e400", "1e-1",
            "1e-400",
            "123456789012345678901234567890", "1e99999999999999999999", "1e-99999999999999999999", "0.10", "\"1\"",
            "true", "null", "[]",
        ]
        for text in failing { XCTAssertThrowsError(try decode(Int.self, text), text) }
        for text in ["256", "-1", "2.56e2", "0.5"] { XCTAssertThrowsError(try decode(UInt8.self, text), text) }
        for text in ["-129", "128", "1e3"] { XCTAssertThrowsError(try decode([Int8].self, "[\(text)]"), text) }
    }

    func testFloatsAreTheNearest() throws {
        let texts = [
            "0", "-0.0", "0.1", "0.30000000000000004", "1e22", "1e23", "9007199254740993", "123456789012345678",
            "1.7976931348623157e308", "5e-324", "2.2250738585072011e-308", "4.35", "0.000001", "1e-400", "8.5e-17",
            "1234567890.123456789", "16777217", "1.00000017881393432617187499", "3.4028234663852886e38", "1e10",
            "0.1e1",
        ]
        for text in texts {
            XCTAssertEqual(try decode(Double.self, text).bitPattern, Double(text)?.bitPattern, text)
            XCTAssertEqual(JSONNumber(text)?.double?.bitPattern, Double(text)?.bitPattern, text)
            if text.contains("e3") { continue }
            XCTAssertEqual(try decode(Float.self, text).bitPattern, Float(text)?.bitPattern, text)
        }
        for text in ["1e309", "-1e400", "\"1\"", "\"NaN\""] {
            XCTAssertThrowsError(try decode(Double.self, text), text)
        }
        XCTAssertThrowsError(try decode(Float.self, "1e39"))
        let numbers: [Double] = try decode(#"["+","-","?",1]"#) {
            $0.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        }
        XCTAssertEqual("\(numbers)", "[inf, -inf, nan, 1.0]")
    }

    /// `Float` has fewer exact powers of ten than `Double`: dividing by one that isn't would round twice.
    func testFloatsAreRoundedOnce() throws {
        var random = SplitMix(seed: 3)
        for places in 1...17 {
            for _ in 0..<200 {
                let digits = String(Int.random(in: 1...16_777_215, using: &random))
                let text = "0." + String(repeating: "0", count: max(0, places - digits.count)) + digits
                XCTAssertEqual(try decode(Float.self, text).bitPattern, Float(text)?.bitPattern, text)
            }
        }
    }

    func testDecimalsKeepTheirDigits() throws {
        for text in [
            "18.50", "-0.1", "12345678901234567890123456789012345678", "1e-20", "1e100", "0.000000000001", "0",
        ] { XCTAssertEqual(try decode(Decimal.self, text), Decimal(string: text), text) }
        XCTAssertEqual(try decode([Decimal].self, "[0.1,0.2]").reduce(0, +), Decimal(string: "0.3"))
    }

    func testTheFirstMemberOfANameIsRead() throws {
        XCTAssertEqual(try decode([String: Int].self, #"{"a":1,"b":2,"a":3}"#), ["a": 1, "b": 2])
        let many = (0..<200).map { "\"name\($0 % 100)\":\($0)" }.joined(separator: ",")
        let numbers: [String: Int] = try decode("{\(many)}")
        XCTAssertEqual(numbers.count, 100)
        XCTAssertEqual(numbers["name99"], 99)
        XCTAssertEqual(try decode(Keys.self, #"{"b":1,"a":2,"b":3}"#).names, ["b", "a"])
    }

    /// `String` compares names, so that both spellings of é are one.
    func testNamesAreEqualAsStringsAre() throws {
        for name in ["é", "e\u{301}", "\\u00e9", "e\\u0301"] {
            XCTAssertEqual(try decode(Accented.self, "{\"x\":2,\"\(name)\":1}").é, 1, name)
            XCTAssertEqual(try decode([String: Int].self, "{\"\(name)\":1}"), ["é": 1], name)
        }
        XCTAssertThrowsError(try decode(Accented.self, #"{"e":1}"#))
        // The first of two that are equal counts, whatever its bytes.
        for names in [["e\u{301}", "é"], ["é", "e\u{301}"], ["e\\u0301", "é"]] {
            let text = "{\"\(names[0])\":1,\"\(names[1])\":2}"
            XCTAssertEqual(try decode(Accented.self, text).é, 1, text)
            XCTAssertEqual(try JSONDecoder().decode(Accented.self, from: Data(text.utf8)).é, 1, text)
            XCTAssertEqual(try decode([String: Int].self, text), ["é": 1], text)
        }
        XCTAssertEqual(try decode(Dated2.self, #"{"\u006b":1}"#).k, 1)
        XCTAssertEqual(try decode(Dated2.self, "{\"\u{212A}\":0,\"k\":1}").k, 1)
    }

    private struct Accented: Decodable { var é: Int }
    private struct Dated2: Decodable { var k: Int }
    private struct Keys: Decodable {
        var names: [String]
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Name.self)
            names = container.allKeys.map(\.stringValue)
            XCTAssertTrue(container.contains(Name(stringValue: "a")))
            XCTAssertFalse(container.contains(Name(stringValue: "c")))
        }
    }
    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func testDates() throws {
        let date = Date(timeIntervalSince1970: 1_772_368_200.25)
        let whole = Date(timeIntervalSince1970: 1_772_368_200)
        typealias Strategy = JSONReader.DateDecodingStrategy
        let table: [(String, Strategy, Date)] = [
            ("794061000.25", .deferredToDate, date),
            ("1772368200.25", .secondsSince1970, date), ("1772368200250", .millisecondsSince1970, date),
            (#""2026-03-01T12:30:00Z""#, .iso8601, whole), (#""2026-03-01T13:30:00+01:00""#, .iso8601, whole),
            (#""2026-03-01T12:30:00.250Z""#, .iso8601, date),
            ("[1772368200.25]", .custom { try Date(timeIntervalSince1970: [Double](from: $0)[0]) }, date),
        ]
        for (text, strategy, expected) in table {
            XCTAssertEqual(try decode(Date.self, text) { $0.dateDecodingStrategy = strategy }, expected, text)
            XCTAssertEqual(
                try decode(Dated.self, "{\"date\":\(text)}") { $0.dateDecodingStrategy = strategy }.date, expected, text
            )
        }
        for text in [#""""#, #""2026-13-01T12:30:00Z""#, #""yesterday""#, "1"] {
            XCTAssertThrowsError(try decode(Date.self, text) { $0.dateDecodingStrategy = .iso8601 }, text)
        }
    }

    func testSnakeCaseAsFoundation() throws {
        let theirs = JSONDecoder()
        theirs.keyDecodingStrategy = .convertFromSnakeCase
        let names = [
            "first_name", "home_page_url", "_private", "__a_b__", "a", "", "_", "___", "already", "alreadyCamel",
            "a__b",
            "A_B", "FIRST_NAME", "first_2_b", "é_à", "a_", "one_TWO", "x_yZ",
        ]
        for name in names {
            let data = Data("{\"\(name)\":1}".utf8)
            var ours = JSONReader()
            ours.keyDecodingStrategy = .convertFromSnakeCase
            XCTAssertEqual(
                try ours.decode(Keys2.self, from: data).names, try theirs.decode(Keys2.self, from: data).names, name)
        }
        let keys: SnakeKeys = try decode(
            #"{"first_name":"A","home_page_u_r_l":"y","homePageURL":"x","a_b":1,"_private":2,"names":{"and_this":1}}"#
        ) { $0.keyDecodingStrategy = .convertFromSnakeCase }
        XCTAssertEqual(keys.firstName, "A")
        XCTAssertEqual(keys.names, ["and_this": 1])
        XCTAssertThrowsError(
            try decode(SnakeKeys.self, #"{"first_name":1}"#) { $0.keyDecodingStrategy = .convertFromSnakeCase }
        ) { XCTAssertEqual(path(of: $0), ["firstName"]) }
    }

    /// Names of dictionaries aren't converted, so the path of an error has them as they are.
    func testPathsAsFoundation() throws {
        let table: [(any Decodable.Type, String)] = [
            ([String: SnakeKeys].self, #"{"an_id":{"first_name":1}}"#),
            ([String: [String: [SnakeKeys]]].self, #"{"an_id":{"a_b":[{"first_name":1}]}}"#),
            ([[String: Int]].self, #"[{"a_b":1},{"a_b":1,"b_c":"x"}]"#),
            ([SnakeKeys].self, #"[{"first_name":"a","home_page_u_r_l":"x","a_b":1,"_private":2,"names":{"a_b":""}}]"#),
            ([String: Int?].self, #"{"a_long_name_of_a_member":""}"#),
        ]
        for (type, text) in table {
            let (theirs, data) = (JSONDecoder(), Data(text.utf8))
            theirs.keyDecodingStrategy = .convertFromSnakeCase
            var ours = JSONReader()
            ours.keyDecodingStrategy = .convertFromSnakeCase
            let expected = failure { _ = try theirs.decode(type, from: data) }.flatMap { path(of: $0) }
            XCTAssertNotNil(expected, text)
            XCTAssertEqual(failure { _ = try ours.decode(type, from: data) }.flatMap { path(of: $0) }, expected, text)
        }
    }

    private struct Keys2: Decodable {
        var names: [String]
        init(from decoder: any Decoder) throws {
            names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
        }
    }

    func testErrorsHaveThePathAndQuoteNothing() throws {
        let secret = "s3cret"
        let table: [(any Decodable.Type, String, [String])] = [
            (Album.self, #"{"id":"s3cret"}"#, []), ([Album].self, #"[{"id":["s3cret"]}]"#, ["Index 0", "id"]),
            ([[Int]].self, #"[[1],[2,"s3cret"]]"#, ["Index 1", "Index 1"]),
            ([String: [Int]].self, #"{"a":[1],"b":[1,"s3cret"]}"#, ["b", "Index 1"]),
            (Int.self, #""s3cret""#, []), ([URL].self, #"["", "s3cret"]"#, ["Index 0"]),
            ([Data].self, #"["s3cret!"]"#, ["Index 0"]), ([Bool].self, #"["s3cret"]"#, ["Index 0"]),
            ([Int].self, "[1.5]", ["Index 0"]), ([String].self, "[null]", ["Index 0"]), ([Int].self, #"["s3cret""#, []),
            (Interleaved.self, #"{"first":[1,[null],{"third":7}],"second":{"first":"s3cret"}}"#, ["second", "first"]),
        ]
        for (type, text, expected) in table {
            XCTAssertThrowsError(try JSONReader().decode(type, from: Data(text.utf8)), text) { error in
                XCTAssertFalse("\(error)".contains(secret), "\(error)")
                XCTAssertEqual(path(of: error), expected, text)
            }
        }
    }

    private func failure(_ work: () throws -> Void) -> (any Error)? {
        do { try work() } catch { return error }
        return nil
    }

    private func path(of error: any Error) -> [String]? {
        switch error as? DecodingError {
        case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.map(\.stringValue)
        default: nil
        }
    }

    func testUnkeyedContainers() throws {
        struct Pair: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                XCTAssertEqual(container.count, 2)
                XCTAssertThrowsError(try container.decode(String.self))
                // After an error the element is still the next.
                XCTAssertEqual(try container.decode(Int.self), 1)
                XCTAssertFalse(try container.decodeNil())
                XCTAssertEqual(try container.superDecoder().singleValueContainer().decode(Int.self), 2)
                XCTAssertTrue(container.isAtEnd)
                XCTAssertThrowsError(try container.decode(Int.self))
                XCTAssertThrowsError(try container.decodeNil())
                XCTAssertThrowsError(try container.superDecoder())
                XCTAssertThrowsError(try container.nestedUnkeyedContainer())
            }
        }
        _ = try decode(Pair.self, "[1,2]")
    }

    /// A container may outlive the call, and the data.
    func testADecoderOutlivesItsDocument() throws {
        final class Holder: Decodable {
            let decoder: any Decoder
            init(from decoder: any Decoder) throws { self.decoder = decoder }
        }
        let holder: Holder = try decode("[\"a long string that has no room in a word\",2]")
        var container = try holder.decoder.unkeyedContainer()
        XCTAssertEqual(try container.decode(String.self), "a long string that has no room in a word")
        XCTAssertEqual(try container.decode(Int.self), 2)
    }

    func testUserInfo() throws {
        struct Told: Decodable {
            let text: String?
            init(from decoder: any Decoder) throws {
                text = decoder.userInfo[CodingUserInfoKey(rawValue: "key")!] as? String
            }
        }
        let told: Told = try decode("1") { $0.userInfo[CodingUserInfoKey(rawValue: "key")!] = "value" }
        XCTAssertEqual(told.text, "value")
    }

    func testSlicesOfData() throws {
        let data = Data(#"xx{"a":[1,2]}yy"#.utf8)
        XCTAssertEqual(try JSONReader().decode([String: [Int]].self, from: data[2..<(data.count - 2)]), ["a": [1, 2]])
    }
}
