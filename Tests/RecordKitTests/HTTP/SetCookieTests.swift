import TestSupport
import XCTest

@testable import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The sections in the comments are sections of RFC 6265.
final class SetCookieTests: TimedTestCase {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

    private func cookies(_ field: String, _ address: String = "https://shop.example/a/b") -> [HTTPCookie] {
        SetCookie.cookies(in: ["Set-Cookie": field], from: url(address), now: now)
    }

    private func pairs(_ field: String, _ address: String = "https://shop.example/a/b") -> [String] {
        cookies(field, address).map { "\($0.name)=\($0.value)" }
    }

    func testNamesAndValues() {
        let rows: [(String, [String])] = [
            ("a=1", ["a=1"]), (" a = 1 ; Path=/", ["a=1"]), ("a=", ["a="]), ("a=1=2", ["a=1=2"]),
            ("a=\"x y\"", ["a=\"x y\""]), ("a", []), ("=1", []), ("", []), ("a=\u{1}", []), ("; Path=/", []),
        ]
        for (field, expected) in rows { XCTAssertEqual(pairs(field), expected, field) }
    }

    func testFieldsWhateverTheirCaseAndHoweverJoined() {
        var headers: HTTPHeaders = ["set-cookie": "a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/"]
        headers.add("SET-COOKIE", "b=2, c=3")
        headers.add("Cookie", "d=4")
        let cookies = SetCookie.cookies(in: headers, from: url("https://shop.example/"), now: now)
        XCTAssertEqual(cookies.map { "\($0.name)=\($0.value)" }, ["a=1", "b=2, c=3"])
        XCTAssertEqual(cookies[0].expiresDate, Date(timeIntervalSince1970: 2_139_722_880))
        XCTAssertNil(cookies[1].expiresDate)
        let joined: [(String, [String])] = [
            (
                "a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT, b=2; Path=/",
                ["a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT", "b=2; Path=/"]
            ),
            ("a=1,2, b=x, y, c=3", ["a=1,2", "b=x, y", "c=3"]), ("a=1,b=2", ["a=1,b=2"]),
            ("a[x]=1, a[y]=2", ["a[x]=1", "a[y]=2"]),
            // Cookies without a name, which are then ignored. They don't become part of the value before them.
            ("a=1, =, b=2, =3", ["a=1", "=", "b=2", "=3"]),
        ]
        for (field, expected) in joined { XCTAssertEqual(SetCookie.split(field).map(String.init), expected, field) }
    }

    /// Section 6.1, and the order of section 5.3.
    func testTheNumberOfCookiesIsLimited() throws {
        let storage = try XCTUnwrap(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let shop = url("https://shop.example/")
        var many = HTTPHeaders()
        for number in 0..<5_000 { many.add("Set-Cookie", "n\(number)=1") }
        let start = ContinuousClock.now
        SetCookie.keep(many, from: shop, in: storage, now: now)
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(1))
        XCTAssertEqual(Set(storage.cookies?.map(\.name) ?? []), Set((4_950..<5_000).map { "n\($0)" }))

        // Those of other responses go first, and of other domains none.
        SetCookie.keep(["Set-Cookie": "other=1"], from: url("https://other.example/"), in: storage, now: now)
        var more = HTTPHeaders()
        for number in 0..<20 { more.add("Set-Cookie", "m\(number)=1") }
        SetCookie.keep(more, from: shop, in: storage, now: now)
        let names = Set(storage.cookies?.map(\.name) ?? [])
        XCTAssertEqual(names.count, 51)
        XCTAssertTrue(names.isSuperset(of: (0..<20).map { "m\($0)" }))
        XCTAssertTrue(names.contains("other"))
    }

    /// Of a domain with too many cookies, expired ones go first, however new they are.
    func testExpiredCookiesAreDeletedFirst() throws {
        let storage = try XCTUnwrap(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let shop = url("https://shop.example/")
        for number in 0..<50 {
            let age = number < 40 ? 1000 : 10
            SetCookie.keep(["Set-Cookie": "n\(number)=1; Max-Age=\(age)"], from: shop, in: storage, now: Date())
        }
        var more = HTTPHeaders()
        for number in 0..<5 { more.add("Set-Cookie", "m\(number)=1; Max-Age=1000") }
        SetCookie.keep(more, from: shop, in: storage, now: Date(timeIntervalSinceNow: 100))
        let names = Set(storage.cookies?.map(\.name) ?? [])
        XCTAssertTrue(names.isSuperset(of: (0..<40).map { "n\($0)" } + (0..<5).map { "m\($0)" }), "\(names)")
    }

    func testMaxAgeComesBeforeExpires() {
        // Sections 5.2.1, 5.2.2 and 5.3 step 3.
        let date = "Expires=Wed, 21 Oct 2037 07:28:00 GMT"
        let day = Date(timeIntervalSince1970: 2_139_722_880)
        let rows: [(String, Date?)] = [
            ("a=1", nil), ("a=1; \(date)", day), ("a=1; Max-Age=60", now.addingTimeInterval(60)),
            ("a=1; max-age=60; \(date)", now.addingTimeInterval(60)), ("a=1; Max-Age=0; \(date)", .distantPast),
            ("a=1; \(date); Max-Age=-1", .distantPast), ("a=1; Max-Age=; \(date)", day),
            ("a=1; Max-Age=6x; \(date)", day), ("a=1; Max-Age=+6", nil), ("a=1; Expires=soon", nil),
            ("a=1; Max-Age=1; Max-Age=60", now.addingTimeInterval(60)),
            ("a=1; Max-Age=99999999999999999999999", now.addingTimeInterval(400 * 86_400)),
        ]
        for (field, expected) in rows {
            XCTAssertEqual(cookies(field).first?.expiresDate, expected, field)
            XCTAssertEqual(cookies(field).first?.isSessionOnly, expected == nil, field)
        }
    }

    func testDatesOfCookies() {
        // Section 5.1.1.
        let day = Date(timeIntervalSince1970: 784_111_777)
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Sun, 06-Nov-1994 08:49:37 GMT", "6 november 1994 8:49:37", "1994 08:49:37 06 Nov",
            "06 Nov 94 08:49:37 PST",
        ] { XCTAssertEqual(CookieDate.read(text[...]), day, text) }
        XCTAssertEqual(CookieDate.read("01 Jan 69 00:00:00"), Date(timeIntervalSince1970: 3_124_224_000))
        for text in [
            "", "Nov", "06 Nov 1994", "06 Nov 1994 08:49", "31 Feb 1994 08:49:37", "06 Nov 1600 08:49:37",
            "06 Nov 1994 24:00:00", "06 Nov 19945 08:49:37", "06 Foo 1994 08:49:37", "006 Nov 1994 08:49:37",
        ] { XCTAssertNil(CookieDate.read(text[...]), text) }
    }

    func testThePathIsThatOfTheRequest() {
        // Sections 5.1.4 and 5.2.4.
        let rows = [
            ("a=1", "https://shop.example/a/b", "/a"), ("a=1", "https://shop.example/a/b/", "/a/b"),
            ("a=1", "https://shop.example/a", "/"), ("a=1", "https://shop.example", "/"),
            ("a=1; Path=/x", "https://shop.example/a/b", "/x"), ("a=1; Path=x", "https://shop.example/a/b", "/a"),
            ("a=1; Path=", "https://shop.example/a/b", "/a"), ("a=1; path=/x/; PATH=/y", "https://shop.example/", "/y"),
        ]
        for (field, address, path) in rows { XCTAssertEqual(cookies(field, address).first?.path, path, field) }
    }

    func testADomainHasToCoverTheHost() {
        // Sections 5.1.3, 5.2.3 and 5.3 steps 5 and 6.
        let rows: [(domain: String, host: String, stored: String?)] = [
            ("", "a.shop.example", "a.shop.example"), ("shop.example", "a.shop.example", ".shop.example"),
            (".shop.example", "a.shop.example", ".shop.example"), ("SHOP.example", "A.shop.EXAMPLE", ".shop.example"),
            ("a.shop.example", "a.shop.example", ".a.shop.example"), ("b.shop.example", "a.shop.example", nil),
            ("hop.example", "shop.example", nil), ("a.shop.example", "shop.example", nil),
            ("example", "shop.example", nil),
            ("localhost", "localhost", "localhost"), ("127.0.0.1", "127.0.0.1", "127.0.0.1"),
            ("0.0.1", "127.0.0.1", nil), ("127.0.0.1", "127.0.0.2", nil), ("", "[::1]", "::1"), ("::1", "[::1]", "::1"),
        ]
        for (domain, host, stored) in rows {
            let field = domain.isEmpty ? "a=1" : "a=1; Domain=\(domain)"
            XCTAssertEqual(cookies(field, "https://\(host)/").first?.domain, stored, "\(domain) at \(host)")
        }
        XCTAssertEqual(cookies("a=1; Domain=", "https://shop.example/").first?.domain, "shop.example")
    }

    func testSecureAndHttpOnlyAndPrefixes() {
        let both = cookies("a=1; secure; HTTPONLY")[0]
        XCTAssertTrue(both.isSecure && both.isHTTPOnly)
        let neither = cookies("a=1; Securely; x=HttpOnly")[0]
        XCTAssertFalse(neither.isSecure || neither.isHTTPOnly)
        let rows: [(String, String, Bool)] = [
            ("a=1; Secure", "http", false), ("__Secure-a=1; Secure", "https", true), ("__Secure-a=1", "https", false),
            ("__Host-a=1; Secure; Path=/", "https", true), ("__host-a=1; Secure", "https", false),
            ("__Host-a=1; Path=/", "https", false), ("__Host-a=1; Secure; Path=/; Domain=shop.example", "https", false),
        ]
        for (field, scheme, isTaken) in rows {
            XCTAssertEqual(!cookies(field, "\(scheme)://shop.example/").isEmpty, isTaken, field)
        }
    }

    private func storage() throws -> HTTPCookieStorage {
        try XCTUnwrap(URLSessionConfiguration.ephemeral.httpCookieStorage)
    }

    func testCookiesAreSentWhereTheyBelong() throws {
        // Section 5.4.
        let storage = try storage()
        func keep(_ field: String, _ address: String) {
            SetCookie.keep(["Set-Cookie": field], from: url(address), in: storage)
        }
        keep("host=1", "https://shop.example/")
        keep("domain=1; Domain=shop.example", "https://a.shop.example/")
        keep("deep=1; Path=/a/b", "https://shop.example/")
        keep("sealed=1; Secure", "https://shop.example/")
        keep("six=1", "http://[::1]:8080/")
        keep("other=1", "https://other.example/")
        let rows: [(String, [String])] = [
            ("https://shop.example/", ["host=1", "domain=1", "sealed=1"]),
            ("https://shop.example", ["host=1", "domain=1", "sealed=1"]),
            ("http://SHOP.example/a/bc", ["host=1", "domain=1"]),
            ("http://shop.example/a/b", ["deep=1", "host=1", "domain=1"]),
            ("https://a.shop.example/a/b/c", ["domain=1"]), ("https://ashop.example/", []),
            ("http://[::1]/x", ["six=1"]), ("http://example/", []),
        ]
        for (address, expected) in rows {
            let field = SetCookie.field(from: storage, for: url(address))
            XCTAssertEqual(field.map { Set($0.split(separator: "; ")) } ?? [], Set(expected.map { $0[...] }), address)
            if expected.first == "deep=1" { XCTAssertTrue(field?.hasPrefix("deep=1; ") ?? false, "longest path first") }
            if expected.isEmpty { XCTAssertNil(field, address) }
        }
        XCTAssertNil(
            SetCookie.field(from: try self.storage(), for: url("https://shop.example/")), "one storage is not another")
    }

    func testACookieIsReplacedAndDeleted() throws {
        let storage = try storage()
        func keep(_ fields: String..., from address: String = "https://shop.example/") {
            SetCookie.keep(
                HTTPHeaders(fields.map { HTTPHeaders.Field(name: "set-cookie", value: $0) }), from: url(address),
                in: storage)
        }
        func sent() -> String? { SetCookie.field(from: storage, for: url("https://shop.example/")) }
        keep("a=1", "a=2")
        XCTAssertEqual(sent(), "a=2")
        keep("a=3; Domain=shop.example")
        XCTAssertEqual(sent(), "a=3", "a host-only cookie replaces the other")
        keep("a=; Max-Age=0; Path=/x", "b=; Max-Age=0")
        XCTAssertEqual(sent(), "a=3")
        keep("a=; Expires=Thu, 01-Jan-1970 00:00:00 GMT")
        XCTAssertNil(sent())
        XCTAssertEqual(storage.cookies?.count, 0)
        keep("a=1; Max-Age=60", "a=; Max-Age=-1", "a=5")
        XCTAssertEqual(sent(), "a=5")
        keep("a=6; Secure")
        keep("a=7", "a=; Max-Age=0", from: "http://shop.example/")
        XCTAssertEqual(sent(), "a=6")
        XCTAssertEqual(
            SetCookie.field(from: storage, for: url("https://shop.example/"), now: .distantFuture), "a=6",
            "a session cookie does not expire")
        keep("a=8; Max-Age=60")
        XCTAssertNil(SetCookie.field(from: storage, for: url("https://shop.example/"), now: .distantFuture))
    }

    /// Section 5.4 step 2: longer paths first, then earlier creation times. A cookie that is replaced keeps its time
    /// (section 5.3 step 11.3).
    func testTheOrderOfCookies() throws {
        let rows: [(responses: [[String]], sent: String)] = [
            ([["a=1", "b=2"]], "a=1; b=2"), ([["b=2", "a=1"]], "b=2; a=1"),
            ([["b=2"], ["a=1"], ["c=3"]], "b=2; a=1; c=3"),
            ([["c=3", "b=2"], ["a=1", "d=4"]], "c=3; b=2; a=1; d=4"),
            // Replaced, in the same response or a later one.
            ([["a=1", "b=2", "a=3"]], "a=3; b=2"), ([["a=1", "b=2"], ["a=3"]], "a=3; b=2"),
            ([["a=1", "b=2"], ["a=3", "c=4", "b=5"], ["a=6"]], "a=6; b=5; c=4"),
            ([["a=1", "b=2"], ["a=3; Path=/; HttpOnly; Max-Age=60"]], "a=3; b=2"),
            // Deleted, and created again.
            ([["a=1", "b=2"], ["a=; Max-Age=0"], ["a=3"]], "b=2; a=3"),
            ([["a=1", "b=2", "a=; Expires=Thu, 01-Jan-1970 00:00:00 GMT", "a=3"]], "b=2; a=3"),
            // By path.
            ([["a=1; Path=/", "b=2; Path=/x", "c=3; Path=/x/y", "d=4; Path=/x"]], "c=3; b=2; d=4; a=1"),
            ([["a=1; Path=/x", "a=2; Path=/"], ["a=3; Path=/x"]], "a=3; a=2"),
            ([["a=1; Path=/", "a=2; Path=/x"], ["a=3; Path=/"]], "a=2; a=3"),
            // Others of the same name.
            ([["a=1", "b=2", "A=3", "b=4; Domain=shop.example", "c=5"]], "a=1; b=4; A=3; c=5"),
            // A response may have any number.
            ([(0..<60).map { "n\($0)=1" }], (10..<60).map { "n\($0)=1" }.joined(separator: "; ")),
        ]
        for (responses, sent) in rows {
            let storage = try storage()
            for fields in responses {
                // The clock stands still.
                SetCookie.keep(
                    HTTPHeaders(fields.map { HTTPHeaders.Field(name: "Set-Cookie", value: $0) }),
                    from: url("https://shop.example/"), in: storage, now: now)
            }
            let field = SetCookie.field(from: storage, for: url("https://shop.example/x/y/z"), now: now)
            XCTAssertEqual(field, sent, "\(responses)")
        }
    }

    /// A cookie that is refreshed again and again isn't the first to go, though it is the oldest.
    func testARefreshedCookieStays() throws {
        let storage = try storage()
        func keep(_ field: String) {
            SetCookie.keep(["Set-Cookie": field], from: url("https://shop.example/"), in: storage, now: now)
        }
        keep("session=0")
        for number in 0..<100 {
            keep("n\(number)=1")
            keep("session=\(number)")
        }
        let names = storage.cookies?.map(\.name) ?? []
        XCTAssertEqual(names.count, 50)
        XCTAssertEqual(
            SetCookie.field(from: storage, for: url("https://shop.example/"), now: now)?.hasPrefix(
                "session=99; n51=1; "),
            true)
    }

    /// A storage may contain cookies that the app has set.
    func testCookiesOfTheAppAreSentInOrder() throws {
        let storage = try storage()
        for name in ["b", "a"] {
            let properties: [HTTPCookiePropertyKey: Any] = [
                .name: name, .value: "1", .domain: "shop.example", .path: "/", .comment: "of the app",
            ]
            storage.setCookie(try XCTUnwrap(HTTPCookie(properties: properties)))
        }
        SetCookie.keep(["Set-Cookie": "a=2"], from: url("https://shop.example/"), in: storage)
        SetCookie.keep(["Set-Cookie": "0=3"], from: url("https://shop.example/"), in: storage)
        XCTAssertEqual(SetCookie.field(from: storage, for: url("https://shop.example/")), "b=1; a=2; 0=3")
    }
}
