import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class RequestQueryTests: TimedTestCase {
    private enum Format: String, Encodable { case lp, cd }

    /// Returns the query of the URL of a request with these items, percent-encoded.
    private func wire(_ query: RequestQuery) throws -> String? {
        try Ask<Data>(query: query).call(in: "https://store.example").url.query(percentEncoded: true)
    }

    func testALiteralTakesWhateverIsEncodable() throws {
        let none: Int? = nil
        let some: Int? = 7
        let id = try XCTUnwrap(UUID(uuidString: "00000000-0000-0000-0000-00000000002A"))
        let query: RequestQuery = [
            "text": "a", "int": -1, "byte": UInt8(255), "double": 18.5, "whole": 3.0, "float": Float(0.1), "yes": true,
            "date": Date(timeIntervalSince1970: 1_772_360_417.9), "id": id, "enum": Format.lp, "none": none,
            "some": some, "null": nil, "list": [1, 2], "object": ["b": 2, "a": 1], "url": URL(filePath: "/x"),
            "decimal": Decimal(string: "0.10"), "data": Data([0xFB, 0xFF]), "nothing": [String](),
        ]

        XCTAssertEqual(
            try wire(query),
            "text=a&int=-1&byte=255&double=18.5&whole=3&float=0.1&yes=true&date=2026-03-01T10%3A20%3A17Z"
                + "&id=00000000-0000-0000-0000-00000000002A&enum=lp&some=7&list=1&list=2&object%5Ba%5D=1&"
                + "object%5Bb%5D=2&url=file%3A%2F%2F%2Fx&decimal=0.1&data=%2B%2F8%3D")
    }

    func testOnlyUnreservedCharactersStayAsTheyAre() throws {
        // RFC 3986 section 2.3. All other characters are encoded, because some servers interpret those of section 2.2.
        let unreserved = "ABCXYZabcxyz0189-._~"
        let ascii = String(decoding: (0..<128).map { UInt8($0) }, as: UTF8.self)
        let encoded = (0..<128).map { byte in
            let character = String(UnicodeScalar(UInt8(byte)))
            return isUnreserved(character) ? character : String(format: "%%%02X", byte)
        }

        XCTAssertEqual(try wire(["q": unreserved]), "q=\(unreserved)")
        XCTAssertEqual(try wire(["q": ascii]), "q=\(encoded.joined())")
        XCTAssertEqual(try wire(["a+b;c": "d&e=f#g+h;"]), "a%2Bb%3Bc=d%26e%3Df%23g%2Bh%3B")
        XCTAssertEqual(try wire(["naïve": "日本 🎵"]), "na%C3%AFve=%E6%97%A5%E6%9C%AC%20%F0%9F%8E%B5")
        XCTAssertEqual(try wire(["": ""]), "=")
        XCTAssertNil(try wire([:]))
    }

    private func isUnreserved(_ character: String) -> Bool {
        character.range(of: "^[A-Za-z0-9._~-]$", options: .regularExpression) != nil
    }

    func testTheOrderIsTheOrderGiven() throws {
        XCTAssertEqual(try wire(["b": 1, "a": 2, "b": 3]), "b=1&a=2&b=3")
        XCTAssertEqual(try wire(["b": 1] + ["a": 2]), "b=1&a=2")
        let names = (0..<50).map { "n\($0)" }
        let dictionary = Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
        XCTAssertEqual(RequestQuery(encoding: dictionary).items.map(\.name), names.sorted())
    }

    func testAQueryThatCannotBeEncodedThrowsWhenTheCallIsBuilt() throws {
        let query: RequestQuery = ["ok": 1, "price": Double.nan]
        XCTAssertThrowsError(try wire(query)) { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return XCTFail("\(error)") }
            XCTAssertEqual(failure.member, .query)
            XCTAssertTrue(failure.cause is EncodingError)
            XCTAssertTrue(failure.description.contains("price"), failure.description)
        }
    }

    func testItemsMarkedSensitiveAreNotPrinted() throws {
        let value = "s3cret"
        let query = (["t": value, "q": "blue", "T2": value, "apikey": value, "o": ["x": value]] as RequestQuery)
            .markingSensitive("T", "t2", "o")
        let call = try Ask<Data>(query: query).call(in: "https://store.example")

        XCTAssertEqual(query.description, "t=redacted&q=blue&T2=redacted&apikey=redacted&o[x]=redacted")
        XCTAssertTrue(call.url.absoluteString.contains("t=s3cret&q=blue&T2=s3cret"))
        var dumped = ""
        dump(query, to: &dumped)
        dump(call, to: &dumped)
        for printed in [dumped, "\(query)", String(reflecting: query), "\(call)", String(reflecting: call)] {
            XCTAssertFalse(printed.contains(value), printed)
            XCTAssertTrue(printed.contains("blue"), printed)
        }
    }

    func testASumKeepsTheSecretsAndTheMistakesOfBoth() throws {
        let secret = (["t": "s3cret"] as RequestQuery).markingSensitive("t")
        let plain: RequestQuery = ["t": "s3cret"]
        let broken: RequestQuery = ["n": Double.nan]
        for sum in [secret + ["a": 1], ["a": 1] + secret] {
            XCTAssertFalse(sum.description.contains("s3cret"), sum.description)
        }
        for sum in [broken + ["a": 1], ["a": 1] + broken] { XCTAssertThrowsError(try wire(sum)) }
        XCTAssertNotEqual(plain, secret)
    }

    func testAMarkHoldsForMembers() {
        for name in ["o", "x"] {
            let query = (["o": ["x": "s3cret"]] as RequestQuery).markingSensitive(name)
            XCTAssertFalse(query.description.contains("s3cret"), query.description)
        }
    }

    func testAnErrorOfACallHidesWhatTheConfigurationNames() async throws {
        let server = try LoopbackServer(responses: [.status(404)])
        var configuration = NetworkConfiguration(server.url)
        configuration.sensitiveNames = ["Till"]
        let error = await NetworkSession(configuration).failure(of: Ask<Data>(query: ["till": "s3cret", "page": 2]))
        let text = try XCTUnwrap(error).description

        XCTAssertEqual(server.requests.first?.target, "/ask?till=s3cret&page=2")
        XCTAssertTrue(text.contains("till=redacted&page=2"), text)
    }

    func testTheBytesOfTheRequestLine() async throws {
        let server = try LoopbackServer(responses: [.status(204)])
        let query: RequestQuery = ["q": "a+b;c&d=e#f é/?[]", "x[]": [1, 2]]
        let ask = Ask<Data>(path: "a;b/\("c/ü?#%")//x", query: query)
        _ = try await NetworkSession(NetworkConfiguration(server.url)).value(for: ask)
        let line = String(decoding: try XCTUnwrap(server.requests.first).bytes.prefix { $0 != 13 }, as: UTF8.self)
        XCTAssertEqual(
            line,
            "GET /a;b/c%2F%C3%BC%3F%23%25//x?q=a%2Bb%3Bc%26d%3De%23f%20%C3%A9%2F%3F%5B%5D&x%5B%5D=1&x%5B%5D=2 HTTP/1.1")
    }
}
