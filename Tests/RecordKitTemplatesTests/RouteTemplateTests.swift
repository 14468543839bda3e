import RecordKit
import RecordKitTemplates
import RecordKitTesting
import TestSupport
import XCTest

final class RouteTemplateTests: TimedTestCase {
    private struct Routed: NetworkRequest {
        typealias ValueType = Data
        typealias ErrorType = NetworkError
        let route: RouteTemplate
        var page: Int?
        var id: String? = "7"
        var trusted = "a/b"
        var values: RouteTemplate.Values {
            [
                "id": id, "page": page, "trusted": trusted, "none": nil, "empty": "", "list": ["a b", "c,d"],
                "date": Date(timeIntervalSince1970: 0), "yes": true, "deep": [["a"]], "nan": Double.nan,
                "blank": [""], "gap": ["a", ""],
                "uuid": UUID(uuidString: "00000000-0000-0000-0000-00000000002A"),
            ]
        }
        var path: RequestPath { route.path(values) }
        var query: RequestQuery { route.query(values) }
    }

    /// Returns the URL after the host.
    private func target(_ request: Routed) throws -> String {
        let url = try request.call(
            in: NetworkConfiguration(environment: "https://store.example")
        ).url.absoluteString
        return String(url.dropFirst("https://store.example".count))
    }

    private func failure(_ request: Routed) -> NetworkError.InvalidRequest? {
        do {
            let target = try target(request)
            XCTFail("\(request.route) became \(target)")
            return nil
        } catch {
            guard case NetworkError.invalidRequest(let failure) = error else { return nil }
            return failure
        }
    }

    func testPathAndQueryOfOneTemplate() throws {
        let table: KeyValuePairs<RouteTemplate, String> = [
            "records/{id}": "/records/7", "records/{id}{?page}": "/records/7?page=2",
            "records/{id}?fixed=1{&page}": "/records/7?fixed=1&page=2",
            "records?id={id}&flag&x={page}": "/records?id=7&flag&x=2", "?apikey={id}&t={page}": "?apikey=7&t=2",
            "{?id}": "?id=7", "{&id}": "?id=7", "a{/none}{/id}{.page}": "/a/7.2", "a{;id,page}": "/a;id=7;page=2",
            "a{?list}": "/a?list=a%20b,c%2Cd", "a{?list*,page}": "/a?list=a%20b&list=c%2Cd&page=2", "a{?none}": "/a",
            "a{?none}{&id}": "/a?id=7",
            "a{?date,yes,uuid}": "/a?date=1970-01-01T00%3A00%3A00Z&yes=true&uuid=00000000-0000-0000-0000-00000000002A",
            "files/{+trusted}/x": "/files/a/b/x", "größe/{id}": "/gr%C3%B6%C3%9Fe/7",
        ]
        for (route, expected) in table { XCTAssertEqual(try target(Routed(route: route, page: 2)), expected) }
    }

    func testNoValueBreaksOutOfItsSegment() throws {
        XCTAssertEqual(
            try target(Routed(route: "r/{id}/x{?id}", id: "../a?b#c%2e")),
            "/r/..%2Fa%3Fb%23c%252e/x?id=..%2Fa%3Fb%23c%252e")
        for id in ["..", ".", ""] {
            for route in ["r/{id}", "r{/id}", "r/{+id}", "{id}"] as [RouteTemplate] {
                XCTAssertEqual(failure(Routed(route: route, id: id))?.member, .path)
            }
        }
    }

    func testATrustedValueAddsSegmentsAndNothingElse() throws {
        XCTAssertEqual(
            try target(Routed(route: "{+trusted}", trusted: "a/b;c=1,d/[e] %41ü")), "/a/b;c=1,d/%5Be%5D%20%41%C3%BC")
        let evil = [
            "a?b=1", "a#b", "//evil.example/x", "https://evil.example", "../x", "a/../../x", "a/%2e%2e/x", "a/..%2Fx",
            "a\\..\\x", "./a", "%2F%2Fevil", "",
        ]
        for value in evil {
            let failure = failure(Routed(route: "r/{+trusted}", trusted: value))
            XCTAssertEqual(failure?.member, .path, value)
            XCTAssertTrue(failure?.reason.contains("trusted") == true, failure?.reason ?? value)
        }
        // A value after the question mark can't become a fragment.
        XCTAssertEqual(
            try target(Routed(route: "r{?id}&x={+trusted}", trusted: "a#b/?&[c]")), "/r?id=7&x=a%23b/?&%5Bc%5D")
    }

    func testAMissingValueIsAnErrorThatNamesIt() {
        for route in ["r/{nobody}", "r{/id,nobody}", "r/{+nobody}"] as [RouteTemplate] {
            let failure = failure(Routed(route: route))
            XCTAssertEqual(failure?.member, .path)
            XCTAssertTrue(failure?.reason.contains("{nobody}") == true, failure?.reason ?? "")
        }
        let failure = failure(Routed(route: "r{?id,nobody*}"))
        XCTAssertEqual(failure?.member, .query)
        XCTAssertTrue(failure?.reason.contains("{nobody}") == true, failure?.reason ?? "")
        XCTAssertThrowsError(try RouteTemplate("{a}{b}").expanded(with: ["a": 1])) { error in
            XCTAssertEqual((error as? RouteTemplateError)?.variable, "b")
        }
    }

    func testTemplatesThatDoNotFitARequest() {
        let table: KeyValuePairs<RouteTemplate, NetworkError.InvalidRequest.Member> = [
            "r{#id}": .path, "r#x": .path, "r{?id}#x": .path, "r?x={#id}": .path, "r{?id}{?page}": .path,
            "r?a{?id}": .path, "r/{none}": .path, "r/{empty}": .path, "r{/id,empty}": .path, "r/{deep}": .path,
            "r{?deep}": .query, "r{?nan}": .query, "r{?list:3}": .query, "r/../{id}": .path, "r/{id": .path,
            "r/id}": .path, "r{/blank}": .path, "r{/blank*}": .path, "r/{id,blank}": .path, "r{/gap*}": .path,
        ]
        for (route, member) in table { XCTAssertEqual(failure(Routed(route: route))?.member, member, "\(route)") }
    }

    func testInvalidTemplates() {
        let texts = [
            "{", "}", "{}", "{a", "a}", "{{a}}", "{a}}", "{=a}", "{!a}", "{@a}", "{|a}", "{a b}", "{a-b}", "{a,}",
            "{,a}",
            "{a:0}", "{a:01}", "{a:}", "{a:10000}", "{a:-1}", "{a:+1}", "{a:x}", "{a*:3}", "{a:3*}", "{.}", "{a..b}",
            "{.a.}", "{%zz}", "{ü}", "{+}", "{a**}",
        ]
        for text in texts {
            XCTAssertThrowsError(try RouteTemplate(text).expanded(with: ["a": 1, "b": 2]), text) { error in
                XCTAssertTrue(error is RouteTemplateError)
            }
            XCTAssertEqual(RouteTemplate(text).variables, [], text)
        }
        XCTAssertEqual(try RouteTemplate("{a.b}{_}{%41}").expanded(with: ["a.b": 1, "_": 2, "%41": 3]), "123")
        XCTAssertEqual(RouteTemplate("{a}{?b,a,c*}{+d:3}").variables, ["a", "b", "c", "d"])
    }

    func testAnObjectWithAnObjectInItIsAMistake() {
        struct Mixed: Encodable {
            var a = 1
            var b = ["c": 2]
        }
        XCTAssertThrowsError(try RouteTemplate("{?mixed*}").expanded(with: ["mixed": Mixed()])) { error in
            XCTAssertTrue("\(error)".contains("nested"), "\(error)")
        }
    }

    func testAnEmptyMemberKeepsItsMark() {
        let values: RouteTemplate.Values = ["v": ["a": ""]]
        XCTAssertEqual(try RouteTemplate("{v*}{;v*}{?v*}").expanded(with: values), "a=;a?a=")
    }

    func testAPrefixCountsCharactersNotBytes() {
        let values: RouteTemplate.Values = ["v": "éü日本"]
        XCTAssertEqual(try RouteTemplate("{v:1}").expanded(with: values), "%C3%A9")
        XCTAssertEqual(try RouteTemplate("{v:3}").expanded(with: values), "%C3%A9%C3%BC%E6%97%A5")
    }

    func testSecretsOfATemplateDoNotPrint() throws {
        let request = Routed(route: "?apikey={id}&till={trusted}", id: "s3cret", trusted: "t1ll")
        let call = try request.call(
            in: NetworkConfiguration(environment: "https://store.example", sensitiveNames: ["till"]))
        XCTAssertTrue(call.description.contains("?apikey=redacted&till=redacted"), call.description)
        XCTAssertEqual(request.query.description, "apikey=redacted&till=t1ll")
    }

    func testTheBytesOnTheWire() async throws {
        let server = try LoopbackServer(responses: [.status(200)])
        let request = Routed(route: "r/{id}{/none}{?list*,page}{&yes}", page: 2, id: "a/b c")
        _ = try await NetworkSession(NetworkConfiguration(server.url)).value(for: request)
        XCTAssertEqual(server.requests.map(\.target), ["/r/a%2Fb%20c?list=a%20b&list=c%2Cd&page=2&yes=true"])
    }

    func testATrustedValueHidesNoSegmentBehindAnExtendingScalar() {
        for value in ["..%2F\u{301}x", "%2e%2e%2F\u{301}x", "..\\\u{301}x"] {
            let path = RouteTemplate("/f/{+x}").path(["x": value])
            XCTAssertEqual(path.invalidReason?.contains("segment"), true, value)
        }
    }

    func testMembersOfAnErrorOfTheAppAreNotPrinted() {
        struct Locked: Error { let secret = "hunter2" }
        struct Value: Encodable {
            func encode(to encoder: any Encoder) throws { throw Locked() }
        }
        let path = RouteTemplate("/f/{x}").path(["x": Value()])
        XCTAssertEqual(path.invalidReason?.contains("Locked"), true, path.invalidReason ?? "")
        XCTAssertEqual(path.invalidReason?.contains("hunter2"), false)
    }
}
