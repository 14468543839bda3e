import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class BodyComparisonTests: TimedTestCase {
    /// A body of a media type as another client encodes it.
    private struct Written: NetworkEncodable {
        let text: String
        var type = "application/x-www-form-urlencoded"

        func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
            EncodedBody(Data(text.utf8), contentType: type)
        }
    }

    private func difference(
        of body: any NetworkEncodable & Sendable, from expected: any NetworkEncodable & Sendable
    ) async throws -> String? {
        let stub = StubServer()
        try stub.respond(to: Ask<Data>(method: .post, content: expected), with: .status(204))
        let error = await stub.configuration.failure(of: Ask<Data>(method: .post, content: body))
        return (error?.cause as? UnexpectedRequest)?.differences.first?.description
    }

    func testFormsAreComparedByWhatTheyMean() async throws {
        let form = FormBody(["a": "1 2", "b": ["~", "x"], "password": "first"])
        assertNil(try await difference(of: Written(text: "b=~&password=first&a=1%202&b=x"), from: form))
        let order = try await difference(of: Written(text: "a=1+2&b=x&b=~&password=first"), from: form)
        XCTAssertEqual(order, #"b in the body is "x", "~", expected "~", "x""#)
        let more = try await difference(of: Written(text: "a=1+2&b=~&b=x&password=first&c="), from: form)
        XCTAssertEqual(more, #"c in the body is "", not expected"#)
        let secret = try await difference(of: Written(text: "a=1+2&b=~&b=x&password=hunter2"), from: form)
        XCTAssertEqual(secret, "password in the body is redacted, expected another value")
        let other = try await difference(of: Written(text: "a", type: "text/plain"), from: form)
        XCTAssertEqual(other, "the body is 1 bytes, expected 30 bytes")
        let less = try await difference(of: Written(text: "a=1+2&b=~&b=x"), from: form)
        XCTAssertEqual(less, "password in the body is missing, expected another value")
    }

    func testOtherTextsAreComparedByTheirBytes() async throws {
        let space = try await difference(
            of: Written(text: "{ }", type: "text/plain"), from: Written(text: "{}", type: "text/plain"))
        XCTAssertEqual(space, "the body is 3 bytes, expected 2 bytes")
        let letter = try await difference(
            of: Written(text: "ab", type: "text/plain"), from: Written(text: "aB", type: "text/plain"))
        XCTAssertEqual(letter, "the body is other 2 bytes, expected 2 bytes")
    }

    func testMultipartBodiesAreNotCompared() async throws {
        assertNil(try await difference(of: MultipartBody([.text("a", "1")]), from: MultipartBody([.text("b", "2")])))
    }

    func testABodyThatIsNotExpectedIsTold() async throws {
        let stub = StubServer()
        try stub.respond(to: Ask<Data>(method: .post), with: .status(204))
        let error = await stub.configuration.failure(of: Ask<Data>(method: .post, content: "xy"))
        let difference = (error?.cause as? UnexpectedRequest)?.differences.first
        XCTAssertNil(difference?.expected)
        XCTAssertEqual(difference?.description, "the body is 2 bytes, not expected")
    }

    func testAnObjectIsToldWithoutItsSecrets() async throws {
        let user = ["user": ["name": "a"]]
        let missing = try await difference(
            of: ["user": ["name": "a"], "till": ["password": "hunter2", "number": "7"]], from: user)
        XCTAssertEqual(missing, #"till in the body is {"number":"7","password":"redacted"}, not expected"#)
        let list = try await difference(of: ["user": [["password": "hunter2"]]], from: user)
        XCTAssertEqual(list, #"user in the body is [{"password":"redacted"}], expected {"name":"a"}"#)
        let deep = try await difference(of: ["user": [["a": ["password": "hunter2"]]]], from: user)
        XCTAssertEqual(deep, #"user in the body is [{"a":{"password":"redacted"}}], expected {"name":"a"}"#)
        let unexpected = try await difference(of: ["user": ["name": "a", "pwd": "hunter2"]], from: user)
        XCTAssertEqual(unexpected, "user.pwd in the body is redacted, not expected")
        let absent = try await difference(of: user, from: ["user": ["name": "a", "pwd": "hunter2"]])
        XCTAssertEqual(absent, "user.pwd in the body is missing, expected another value")
    }

    func testADifferenceInAListOrInALongTextIsTold() async throws {
        let longer = try await difference(of: ["a": ["x", "y/z"]], from: ["a": ["x"]])
        XCTAssertEqual(longer, #"a[1] in the body is "y/z", not expected"#)
        let long = try await difference(of: ["a": String(repeating: "x", count: 79)], from: ["a": "x"])
        XCTAssertEqual(long, "a in the body is \"\(String(repeating: "x", count: 76))…, expected \"x\"")
        let fits = try await difference(of: ["a": String(repeating: "x", count: 78)], from: ["a": "x"])
        XCTAssertEqual(fits, "a in the body is \"\(String(repeating: "x", count: 78))\", expected \"x\"")
    }

    func testBodiesAreComparedAccordingToTheirType() async throws {
        let json: HTTPHeaders = ["Content-Type": "application/json"]
        let pairs = [
            (#"{"a": 1, "b": [true]}"#, #"{"b":[true],"a":1}"#), (#"["\u00e9", "a\/b"]"#, #"["é","a/b"]"#),
            (#"{"a": 10.0}"#, #"{"a":10}"#), (#"{"a": 0.10}"#, #"{"a":0.1}"#), (#"{"a": 1e2}"#, #"{"a":100}"#),
            ("10.0", "10"),
        ]
        for (expected, sent) in pairs {
            let stub = StubServer()
            try stub.respond(to: Ask<String>(method: .post, headers: json, content: expected), with: .text("fine"))
            let network = NetworkSession(stub.configuration)
            assertEqual(try await network.value(for: Ask<String>(method: .post, headers: json, content: sent)), "fine")
        }
        let form: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
        let stub = StubServer()
        try stub.respond(to: Ask<String>(method: .post, headers: form, content: "a=1&b=2"), with: .text("fine"))
        let network = NetworkSession(stub.configuration)
        assertEqual(try await network.value(for: Ask<String>(method: .post, headers: form, content: "b=2&a=1")), "fine")
    }
}
