import RecordKit
import RecordKitCache
import TestSupport

/// Storing (RFC 9111 section 3), selection by `Vary` (section 4.1), validation (section 4.3), invalidation (section
/// 4.4), the directives of requests (section 5.2.1), ranges, and the policies.
enum StoringScenarios {
    static let all = storing + variants + validation + head + invalidation + requests + conditions + ranges + policies

    private static let minute = "Cache-Control: max-age=60"

    /// A response with these fields isn't stored for a later GET.
    private static func unstored(
        _ section: String, _ name: String, _ method: HTTPMethod = .get, _ fields: String...
    ) -> Scenario {
        Scenario(section, name, .serve(.init(fields: fields)), .send(method), .get(.sentFor("2")))
    }

    private static let storing = [
        Scenario("3", "206", .server(minute, status: 206), .get(.sent), .get(.sentFor("2"))),
        Scenario(
            "3", "a request with a range", .server(minute), .get(.sentFor("1"), "Range: bytes=0-"),
            .get(.sentFor("2"))),
        unstored("3", "POST", .post, minute),
        Scenario(
            "9.3.3", "POST with its own Content-Location", .server(minute, "Content-Location: /ask"), .send(.post),
            .get(.stored("1")), .send(.post), .get(.stored("2"))),
        Scenario(
            "9.3.3", "POST with the Content-Location of another URL", .server(minute, "Content-Location: /other"),
            .send(.post), .get(.sentFor("2")), .get(.sentFor("3"), path: "other")),
        unstored("9.3.3", "POST without a lifetime", .post, "Content-Location: /ask", "Last-Modified: {-1000}"),
        unstored("9.3.3", "POST with no-store", .post, "Cache-Control: no-store, max-age=60", "Content-Location: /ask"),
        unstored("9.3.4", "PUT with its own Content-Location", .put, minute, "Content-Location: /ask"),
        unstored("3", "OPTIONS", "OPTIONS", minute),
        unstored("3", "HEAD", .head, minute),
        unstored("3", "an event stream", .get, minute, "Content-Type: text/event-stream;charset=utf-8"),
        unstored("3", "a body that is too short", .get, minute, "Content-Length: 5"),
        Scenario("3", "a body of its length", .server(minute, "Content-Length: 1"), .get(.sent), .get(.stored("1"))),
        Scenario(
            "3", "the length of a decoded body", .server(minute, "Content-Encoding: gzip", "Content-Length: 21"),
            .get(.sent), .get(.stored("1"))),
        Scenario(
            "3", "an upgrade", .server(minute), .get(.sent, "Upgrade: websocket"),
            .get(.sentFor("2"), "Upgrade: websocket"), .get(.sentFor("3"))),
        Scenario(
            "2", "the URL is the key", .server(minute), .get(.sent, path: "a"), .get(.sentFor("2"), path: "b"),
            .get(.stored("1"), path: "a")),
        Scenario(
            "3.5", "a credential is part of the key", .server(minute), .get(.sent, "Authorization: Bearer a"),
            .get(.sentFor("2"), "Authorization: Bearer b"), .get(.sentFor("3")),
            .get(.stored("1"), "Authorization: Bearer a")),
        Scenario(
            "3.5", "a cookie is part of the key", .server(minute), .get(.sent, "Cookie: a=1"),
            .get(.sentFor("2"), "Cookie: a=2"), .get(.sentFor("3")), .get(.stored("1"), "Cookie: a=1")),
        Scenario(
            "3.5", "an API key is part of the key", .server(minute), .get(.sent, "X-API-Key: a"),
            .get(.sentFor("2"), "X-API-Key: b"), .get(.stored("1"), "X-API-Key: a")),
    ]

    private static func varies(_ name: String, _ vary: String, _ one: String, _ other: String, same: Bool) -> Scenario {
        Scenario(
            "4.1", name, .server(minute, "Vary: \(vary)"), .get(.sent, one),
            .get(same ? .stored("1") : .sentFor("2"), other))
    }

    private static let variants = [
        varies("the same value", "Foo", "Foo: 1", "foo: 1", same: true),
        varies("another value", "Foo", "Foo: 1", "Foo: 2", same: false),
        varies("no value", "Foo", "Foo: 1", "Bar: 1", same: false),
        varies("an empty value", "Foo", "Foo: ", "Bar: 1", same: false),
        varies("another field", "Foo", "Bar: 1", "Bar: 2", same: true),
        varies("letter case of the value", "Foo", "Foo: a", "Foo: A", same: false),
        varies("space in a list", "Foo", "Foo: 1,2", "Foo: 1,  2", same: true),
        varies("the order of a list", "Foo", "Foo: 1, 2", "Foo: 2, 1", same: false),
        varies(
            "the order of languages", "Accept-Language", "Accept-Language: en, de", "Accept-Language: de,en", same: true
        ),
        varies("the case of languages", "Accept-Language", "Accept-Language: EN", "Accept-Language: en", same: true),
        varies(
            "the weights of languages", "Accept-Language", "Accept-Language: en;q=0.5", "Accept-Language: en;q=0.6",
            same: false),
        varies("names in any case", "FOO", "foo: 1", "Foo: 2", same: false),
        varies("the second name", "Foo, Bar", "Bar: 1", "Bar: 2", same: false),
        varies("any", "*", "Foo: 1", "Foo: 1", same: false),
        varies("any twice", "*, *", "Foo: 1", "Foo: 1", same: false),
        varies("any after nothing", ", *", "Foo: 1", "Foo: 1", same: false),
        varies("any after a name", "Foo, *", "Foo: 1", "Foo: 1", same: false),
        varies("any before a name", "*, Foo", "Foo: 1", "Foo: 1", same: false),
        Scenario(
            "4.1", "variants are kept beside each other", .server(minute, "Vary: Foo"), .get(.sent, "Foo: 1"),
            .get(.sentFor("2"), "Foo: 2"), .get(.stored("1"), "Foo: 1"), .get(.stored("2"), "Foo: 2")),
        Scenario(
            "4.1", "several lines are one value", .server(minute, "Vary: Foo"), .get(.sent, "Foo: 1", "Foo: 2"),
            .get(.stored("1"), "Foo: 1, 2")),
        unstored(
            "4.1", "very many names", .get, minute, "Vary: " + (0..<4000).map { "a\($0)" }.joined(separator: ", ")),
        Scenario(
            "3.2", "a 304 changes Vary", .server("ETag: \"a\"", minute), .get(.sent, "Foo: 1"), .wait(60),
            .server("ETag: \"a\"", minute, "Vary: Foo", status: 304), .get(.sentFor("1"), "Foo: 1"),
            .get(.stored("1"), "Foo: 1"), .server(minute, "Vary: Foo"), .get(.sentFor("2"), "Foo: 2"),
            .get(.stored("1"), "Foo: 1")),
        Scenario(
            "3.2", "a 304 changes Vary to any", .server("ETag: \"a\"", minute), .get(.sent), .wait(60),
            .server("ETag: \"a\"", minute, "Vary: *", status: 304), .get(.sentFor("1")),
            .get(.validated("\"a\"")), .get(.failedUnsent, policy: .cacheOnly)),
        Scenario(
            "4.3.5", "HEAD changes Vary", .server("ETag: \"a\"", minute), .get(.sent, "Foo: 1"), .wait(60),
            .server("ETag: \"a\"", minute, "Vary: Foo"), .send(.head), .get(.validated("\"a\""), "Foo: 1")),
        Scenario(
            "4.1", "several lines of Vary", .server(minute, "Vary: Foo", "Vary: Bar"), .get(.sent, "Bar: 1"),
            .get(.sentFor("2"), "Bar: 2")),
        Scenario(
            "4.1", "the newest of two that match", .server(minute), .get(.sent, "Foo: 1"), .wait(1),
            .server(minute, "Vary: Foo"), .get(.sent, "Foo: 1", policy: .reload), .get(.stored("2"), "Foo: 1")),
    ]

    private static let validation = [
        Scenario(
            "4.3.1", "a strong tag", .server("ETag: \"a\""), .get(.sent), .server(status: 304),
            .get(.validated("\"a\"")), .get(.sentFor("1"))),
        Scenario(
            "4.3.1", "a weak tag", .server("ETag: W/\"a\""), .get(.sent), .server("ETag: W/\"a\"", status: 304),
            .get(.validated("W/\"a\"")), .get(.sentFor("1"))),
        Scenario(
            "4.3.1", "a date", .server("Last-Modified: {-1000}", "Cache-Control: max-age=0"), .get(.sent),
            .server(status: 304), .get(.validated("Sun, 09 Sep 2001 01:30:00 GMT")), .get(.sentFor("1"))),
        Scenario(
            "4.3.1", "the tags of all variants", .server("ETag: \"a\"", "Vary: Foo"), .get(.sent, "Foo: 1"),
            .wait(1), .server("ETag: \"b\"", "Vary: Foo"), .get(.validated("\"a\""), "Foo: 2"),
            .get(.validated("\"a\", \"b\""), "Foo: 1"), .get(.validated("\"b\""), "Foo: 2")),
        Scenario(
            "4.3.4", "the server selects another variant",
            .server("ETag: \"a\"", "Vary: Foo", minute), .get(.sent, "Foo: 1"),
            .server("ETag: \"a\"", "Vary: Foo", minute, status: 304), .get(.sentFor("1"), "Foo: 2"),
            .get(.stored("1"), "Foo: 2"), .get(.stored("1"), "Foo: 1")),
        Scenario(
            "4.3.4", "the server confirms one of several variants",
            .server("ETag: \"a\"", "Vary: Foo"), .get(.sent, "Foo: 1"), .wait(1),
            .server("ETag: \"b\"", "Vary: Foo"), .get(.validated("\"a\""), "Foo: 2"),
            .server("ETag: \"b\"", status: 304), .get(.sentFor("2"), "Foo: 1")),
        Scenario(
            "4.3.3", "a new response replaces the old one", .server("ETag: \"a\""), .get(.sent),
            .server("ETag: \"b\"", minute), .get(.sentFor("2")), .get(.stored("2"))),
        Scenario(
            "4.3.4", "a 304 freshens", .server("ETag: \"a\"", minute), .get(.sent), .wait(60),
            .server(minute, status: 304), .get(.sentFor("1")), .wait(59), .get(.stored("1"))),
        Scenario(
            "4.3.4", "a 304 may shorten the lifetime", .server("ETag: \"a\"", minute), .get(.sent), .wait(60),
            .server("Cache-Control: max-age=10", status: 304), .get(.sentFor("1")), .wait(10),
            .get(.validated("\"a\""))),
        Scenario(
            "4.3.4", "the age starts again", .server("ETag: \"a\"", "Age: 50", "Date: {-50}", minute), .get(.sent),
            .wait(10), .server(status: 304), .get(.sentFor("1")), .wait(59), .get(.stored("1"))),
        Scenario(
            "4.3.4", "a 304 for another tag", .server("ETag: \"a\""), .get(.sent),
            .server("ETag: \"x\"", status: 304), .get(.validated("\"a\""))),
        Scenario(
            "4.3.4", "no-store in a 304 leaves the stored response", .server("ETag: \"a\"", minute), .get(.sent),
            .wait(60), .server("Cache-Control: no-store, max-age=60", status: 304), .get(.sentFor("1")),
            .get(.validated("\"a\""))),
        Scenario(
            "4.3.3", "500 replaces nothing", .server("ETag: \"a\""), .get(.sent), .server(status: 500, body: "down"),
            .get(.sentFor("down")), .server(status: 304), .get(.sentFor("1"))),
    ]

    private static let head = [
        Scenario("4", "HEAD is served from GET", .server(minute), .get(.sent), .send(.head, .stored(""))),
        Scenario(
            "4.3.5", "HEAD freshens", .server("ETag: \"a\"", minute), .get(.sent), .wait(60),
            .server("ETag: \"a\"", minute), .send(.head, .sent), .wait(59), .get(.stored("1"))),
        Scenario(
            "4.3.5", "HEAD with another tag", .server("ETag: \"a\"", minute), .get(.sent), .wait(60),
            .server("ETag: \"b\"", minute), .send(.head, .sent), .get(.sent)),
        Scenario(
            "4.3.5", "HEAD with another length", .server("ETag: \"a\"", "Content-Length: 1", minute), .get(.sent),
            .wait(60), .server("Content-Length: 2", minute), .send(.head, .sent), .get(.sent)),
        Scenario(
            "4.3.5", "HEAD with an error", .server("ETag: \"a\"", minute), .get(.sent), .wait(60),
            .server(status: 404), .send(.head, .sent), .get(.validated("\"a\""))),
    ]

    /// The response to a PUT has these fields, and removes what is stored for another URL.
    private static func located(_ name: String, _ fields: String..., then outcome: Step.Outcome = .sentFor("3"))
        -> Scenario
    {
        Scenario(
            "4.4", name, .server(minute), .get(.sent, path: "other"), .serve(.init(fields: fields)), .send(.put),
            .get(outcome, path: "other"))
    }

    private static let invalidation =
        (["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"] as [HTTPMethod]).flatMap { method in
            [
                Scenario("4.4", "\(method) removes", .server(minute), .get(.sent), .send(method), .get(.sentFor("3"))),
                Scenario(
                    "4.4", "\(method) that failed", .server(minute), .get(.sent), .server(status: 500),
                    .send(method), .get(.stored("1"))),
                Scenario(
                    "4.4", "\(method) with Location", .server(minute), .get(.sent, path: "other"),
                    .server("Location: /other", status: 201), .send(method), .get(.sentFor("3"), path: "other")),
            ]
        } + [
            located("Content-Location", "Content-Location: https://store.example/other"),
            located("another spelling in Location", "Location: HTTPS://STORE.Example:443/%6fther#part"),
            located("several lines of Location", "Location: /a", "Location: /other"),
            located("the Location of another origin", "Location: http://store.example/other", then: .stored("1")),
            Scenario(
                "4.4", "303", .server(minute), .get(.sent), .server(status: 303), .send(.post), .get(.sentFor("3"))),
            Scenario(
                "4.4", "404", .server(minute), .get(.sent), .server(status: 404), .send(.delete), .get(.stored("1"))),
            Scenario(
                "4.4", "an unknown outcome", .server(minute), .get(.sent), .error(.lost), .send(.post, .failed),
                .server(minute), .get(.sentFor("2"))),
            Scenario(
                "4.4", "not sent at all", .server(minute), .get(.sent), .error(.refused), .send(.post, .failed),
                .get(.stored("1"))),
            Scenario(
                "4.4", "all variants and credentials", .server(minute, "Vary: Foo"), .get(.sent, "Foo: 1"),
                .get(.sent, "Cookie: a=1"), .send(.post), .get(.sentFor("4"), "Foo: 1"),
                .get(.sentFor("5"), "Cookie: a=1")),
            Scenario("4.4", "not by a safe method", .server(minute), .get(.sent), .send("OPTIONS"), .get(.stored("1"))),
            Scenario("4.4", "not by QUERY", .server(minute), .get(.sent), .send("QUERY"), .get(.stored("1"))),
        ]

    private static let requests = [
        Scenario(
            "5.2.1.1", "max-age", .server(minute), .get(.sent), .wait(30),
            .get(.stored("1"), "Cache-Control: max-age=30"),
            .get(.sentFor("2"), "Cache-Control: max-age=29")),
        Scenario(
            "5.2.1.1", "max-age=0", .server(minute, "ETag: \"a\""), .get(.sent),
            .get(.validated("\"a\""), "Cache-Control: max-age=0")),
        Scenario(
            "5.2.1.1", "max-age and Age", .server(minute, "Age: 40"), .get(.sent),
            .get(.sentFor("2"), "Cache-Control: max-age=30")),
        Scenario(
            "5.2.1.2", "max-stale", .server(minute), .get(.sent), .wait(70),
            .get(.stored("1"), "Cache-Control: max-stale=10"), .get(.sentFor("2"), "Cache-Control: max-stale=9")),
        Scenario(
            "5.2.1.2", "max-stale without a limit", .server(minute), .get(.sent), .wait(1_000_000),
            .get(.stored("1"), "Cache-Control: max-stale")),
        Scenario(
            "5.2.1.2", "max-stale and must-revalidate", .server("Cache-Control: max-age=60, must-revalidate"),
            .get(.sent), .wait(70), .get(.sentFor("2"), "Cache-Control: max-stale")),
        Scenario(
            "5.2.1.3", "min-fresh", .server(minute), .get(.sent), .wait(30),
            .get(.stored("1"), "Cache-Control: min-fresh=30"), .get(.sentFor("2"), "Cache-Control: min-fresh=31")),
        Scenario(
            "5.2.1.4", "no-cache", .server(minute, "ETag: \"a\""), .get(.sent),
            .get(.validated("\"a\""), "Cache-Control: no-cache")),
        Scenario(
            "5.2.1.5", "no-store", .server(minute), .get(.sent, "Cache-Control: no-store"), .get(.sentFor("2")),
            .get(.sentFor("3"), "Cache-Control: no-store"), .get(.stored("2"))),
        Scenario(
            "5.2.1.7", "only-if-cached", .server(minute), .get(.status(504), "Cache-Control: only-if-cached"),
            .get(.sent), .get(.stored("1"), "Cache-Control: only-if-cached"), .wait(60),
            .get(.status(504), "Cache-Control: only-if-cached")),
        Scenario(
            "5.4", "Pragma", .server(minute, "ETag: \"a\""), .get(.sent), .get(.validated("\"a\""), "Pragma: no-cache"),
            .get(.stored("2"), "Pragma: no-cache", "Cache-Control: a")),
    ]

    private static let conditions = [
        Scenario(
            "4.3.2", "If-None-Match", .server(minute, "ETag: \"a\""), .get(.sent),
            .get(.status(304), "If-None-Match: \"a\""), .get(.stored("1"), "If-None-Match: \"b\"")),
        Scenario(
            "4.3.2", "a weak tag matches", .server(minute, "ETag: \"a\""), .get(.sent),
            .get(.status(304), "If-None-Match: W/\"a\"")),
        Scenario(
            "4.3.2", "several tags", .server(minute, "ETag: \"a,b\""), .get(.sent),
            .get(.status(304), "If-None-Match: \"x\", \"a,b\""), .get(.stored("1"), "If-None-Match: \"x\", \"a\"")),
        Scenario("4.3.2", "any tag", .server(minute), .get(.sent), .get(.status(304), "If-None-Match: *")),
        Scenario(
            "4.3.2", "a backslash in a tag", .server(minute, "ETag: \"a\\\""), .get(.sent),
            .get(.status(304), "If-None-Match: \"a\\\", \"b\"")),
        Scenario(
            "4.3.2", "If-Modified-Since", .server(minute, "Last-Modified: {-1000}"), .get(.sent),
            .get(.status(304), "If-Modified-Since: {-1000}"), .get(.status(304), "If-Modified-Since: {-999}"),
            .get(.stored("1"), "If-Modified-Since: {-1001}")),
        Scenario(
            "4.3.2", "If-Modified-Since without Last-Modified", .server(minute, "Date: {0}"), .get(.sent),
            .get(.status(304), "If-Modified-Since: {0}"), .get(.stored("1"), "If-Modified-Since: {-1}")),
        Scenario(
            "4.3.2", "If-None-Match is before If-Modified-Since",
            .server(minute, "ETag: \"a\"", "Last-Modified: {-1000}"), .get(.sent),
            .get(.stored("1"), "If-None-Match: \"b\"", "If-Modified-Since: {0}")),
        Scenario(
            "4.3.2", "a stale response", .server("ETag: \"a\""), .get(.sent), .server(minute, status: 304),
            .get(.validated("\"x\""), "If-None-Match: \"x\""), .get(.validated("\"a\""))),
        Scenario(
            "4.3.4", "the 304 to a condition of the request freshens", .server("ETag: \"a\""), .get(.sent),
            .server(minute, "ETag: \"a\"", status: 304), .get(.validated("\"a\""), "If-None-Match: \"a\""),
            .get(.stored("1"))),
        Scenario(
            "4.3.2", "If-Match is for the server", .server(minute, "ETag: \"a\""), .get(.sent),
            .get(.sentFor("2"), "If-Match: \"a\"")),
        Scenario(
            "4.3.2", "If-Unmodified-Since is for the server", .server(minute), .get(.sent),
            .get(.sentFor("2"), "If-Unmodified-Since: {0}")),
    ]

    private static func range(_ name: String, _ range: String, _ expected: String?) -> Scenario {
        Scenario(
            "3.4", name, .server(minute, body: "0123456789"), .get(.sent),
            .get(expected.map { .stored($0) } ?? .sent, "Range: \(range)"))
    }

    private static let ranges = [
        range("from the start", "bytes=0-1", "01"), range("one byte", "bytes=9-9", "9"),
        range("to the end", "bytes=7-", "789"), range("beyond the end", "bytes=8-100", "89"),
        range("the last bytes", "bytes=-3", "789"), range("more than all", "bytes=-30", "0123456789"),
        range("after the end", "bytes=10-", nil), range("no bytes", "bytes=-0", nil),
        range("in reverse", "bytes=5-4", nil), range("several", "bytes=0-1,3-4", nil),
        range("another unit", "lines=0-1", nil), range("nonsense", "bytes=a-b", nil),
        Scenario(
            "3.4", "If-Range with the tag", .server(minute, "ETag: \"a\"", body: "0123"), .get(.sent),
            .get(.stored("123"), "Range: bytes=1-", "If-Range: \"a\""),
            .get(.stored("0123"), "Range: bytes=1-", "If-Range: \"b\""),
            .get(.stored("0123"), "Range: bytes=1-", "If-Range: W/\"a\"")),
        Scenario(
            "3.4", "not of an encoded body", .server(minute, "Content-Encoding: gzip", body: "0123"), .get(.sent),
            .get(.sent, "Range: bytes=1-")),
    ]

    private static let policies = [
        Scenario(
            "policy", "validate", .server(minute, "ETag: \"a\""), .get(.sent),
            .get(.validated("\"a\""), policy: .validate), .error(.lost), .get(.failed, policy: .validate)),
        Scenario(
            "policy", "reload", .server(minute, "ETag: \"a\""), .get(.sent), .get(.sent, policy: .reload),
            .get(.stored("2"))),
        Scenario(
            "policy", "cacheFirst", .server("Cache-Control: no-cache, must-revalidate"),
            .get(.sent, policy: .cacheFirst), .wait(1_000_000), .get(.stored("1"), policy: .cacheFirst)),
        Scenario(
            "policy", "networkFirst", .server("Cache-Control: no-cache, must-revalidate", "ETag: \"a\""),
            .get(.sent, policy: .networkFirst), .get(.validated("\"a\""), policy: .networkFirst), .wait(1_000_000),
            .error(.lost), .get(.sentFor("2"), policy: .networkFirst), .get(.failed),
            .server(status: 503, body: "busy"), .get(.sentFor("2"), policy: .networkFirst),
            .server(status: 404, body: "none"), .get(.sentFor("none"), policy: .networkFirst)),
        Scenario(
            "policy", "networkFirst without a stored response", .error(.lost), .get(.failed, policy: .networkFirst)),
        Scenario(
            "policy", "cacheOnly", .server("Cache-Control: no-cache"), .get(.failedUnsent, policy: .cacheOnly),
            .get(.sent), .wait(1_000_000), .get(.stored("1"), policy: .cacheOnly)),
        Scenario(
            "policy", "never", .server(minute), .get(.sent, policy: .never), .get(.sentFor("2")),
            .get(.sentFor("3"), policy: .never), .get(.stored("2"))),
    ]
}
