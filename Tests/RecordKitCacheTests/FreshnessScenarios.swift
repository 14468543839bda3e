import RecordKit
import RecordKitCache
import TestSupport

/// Freshness and age (RFC 9111 sections 4.2, 5.1 and 5.3), and the directives of responses (section 5.2.2).
enum FreshnessScenarios {
    static let all = lifetimes + parsing + dates + ages + heuristics + directives + extensions

    /// A response with these fields is fresh for a minute at least.
    private static func fresh(_ section: String, _ name: String, _ fields: String..., status: Int = 200) -> Scenario {
        Scenario(
            section, name, .serve(.init(status: status, fields: fields)), .get(.sent), .wait(59), .get(.stored("1")))
    }

    /// A response with these fields is stored, but stale.
    private static func stale(_ section: String, _ name: String, _ fields: String..., status: Int = 200) -> Scenario {
        Scenario(
            section, name, .serve(.init(status: status, fields: fields + ["ETag: \"a\""])), .get(.sent),
            .get(.validated("\"a\"")), .get(.stored("2"), policy: .cacheOnly))
    }

    /// A response with these fields is stale after some seconds.
    private static func ends(_ section: String, _ name: String, _ fields: String..., after seconds: Double) -> Scenario
    {
        Scenario(
            section, name, .serve(.init(fields: fields)), .get(.sent), .wait(seconds - 1), .get(.stored("1")), .wait(1),
            .get(.sentFor("2")))
    }

    /// A response with these fields isn't stored.
    private static func unstored(_ section: String, _ name: String, _ fields: String..., status: Int = 200) -> Scenario
    {
        Scenario(section, name, .serve(.init(status: status, fields: fields)), .get(.sent), .get(.sentFor("2")))
    }

    private static let lifetimes = [
        ends("4.2.1", "max-age ends the lifetime", "Cache-Control: max-age=60", after: 60),
        ends("4.2.1", "Expires is relative to Date", "Date: {-100}", "Expires: {60}", after: 60),
        fresh("4.2.1", "Expires without Date", "Expires: {60}"),
        fresh("4.2.1", "max-age before a past Expires", "Cache-Control: max-age=60", "Expires: {-10}"),
        fresh("4.2.1", "max-age before an invalid Expires", "Cache-Control: max-age=60", "Expires: 0"),
        stale("4.2.1", "max-age=0 before a future Expires", "Cache-Control: max-age=0", "Expires: {600}"),
        stale("4.2.1", "Expires in the past", "Expires: {-60}"),
        stale("4.2.1", "Expires is Date", "Date: {0}", "Expires: {0}"),
        stale("4.2.1", "Expires is old as Date", "Date: {600}", "Expires: {60}"),
        stale("4.2.1", "two values of Expires", "Expires: {600}", "Expires: {700}"),
        stale("4.2.1", "no information"),
        fresh("5.2.2.10", "s-maxage is for shared caches", "Cache-Control: s-maxage=1, max-age=60"),
        stale("5.2.2.10", "s-maxage alone", "Cache-Control: s-maxage=60"),
    ]

    private static let parsing = [
        fresh("5.2", "letter case", "Cache-Control: MaX-aGe=60"),
        fresh("5.2", "an unknown directive", "Cache-Control: foobar, max-age=60"),
        fresh("5.2", "an unknown directive with a value", "Cache-Control: foo=\"a, b\", max-age=60"),
        fresh("5.2", "empty members", "Cache-Control: , ,max-age=60,"),
        fresh("5.2", "no space", "Cache-Control: a,max-age=60,b"),
        fresh("5.2", "several lines", "Cache-Control: a", "Cache-Control: max-age=60"),
        fresh("5.2", "a quoted value", "Cache-Control: max-age=\"60\""),
        fresh("5.2", "leading zeros", "Cache-Control: max-age=0060"),
        fresh("4.2.1", "the first of two values", "Cache-Control: max-age=60, max-age=1"),
        stale("4.2.1", "the first of two values is zero", "Cache-Control: max-age=0, max-age=60"),
        stale("5.2", "max-age in a quoted string", "Cache-Control: foo=\"max-age=60\""),
        stale("5.2", "max-age after an escaped quote", "Cache-Control: foo=\"\\\", max-age=60\""),
        stale("5.2", "max-age in a quoted string, then another", "Cache-Control: foo=\"max-age=60\", max-age=0"),
        stale("5.2", "single quotes", "Cache-Control: max-age='60'"),
        stale("5.2", "space before the equals sign", "Cache-Control: max-age =60"),
        stale("5.2", "space after the equals sign", "Cache-Control: max-age= 60"),
        stale("4.2.1", "a negative max-age", "Cache-Control: max-age=-60"),
        stale("4.2.1", "a fraction", "Cache-Control: max-age=60.5"),
        stale("4.2.1", "a letter before", "Cache-Control: max-age=a60"),
        stale("4.2.1", "a letter after", "Cache-Control: max-age=60a"),
        stale("4.2.1", "no value", "Cache-Control: max-age"),
        stale("4.2.1", "an invalid max-age before a future Expires", "Cache-Control: max-age=x", "Expires: {600}"),
        fresh("1.2.2", "2^31", "Cache-Control: max-age=2147483648"),
        fresh("1.2.2", "more than 2^31", "Cache-Control: max-age=99999999999"),
        fresh("1.2.2", "more than fits", "Cache-Control: max-age=99999999999999999999999999"),
    ]

    private static let dates = [
        fresh("5.3", "the format of RFC 850", "Expires: Saturday, 06-Nov-21 08:49:37 GMT"),
        fresh("5.3", "the format of asctime", "Expires: Sat Nov  6 08:49:37 2021"),
        fresh("5.3", "a weekday in upper case", "Expires: SAT, 06 Nov 2021 08:49:37 GMT"),
        fresh("5.3", "a month in lower case", "Expires: Sat, 06 nov 2021 08:49:37 GMT"),
        fresh("5.3", "a zone in mixed case", "Expires: Sat, 06 Nov 2021 08:49:37 gMT"),
        stale("5.3", "another zone", "Expires: Sat, 06 Nov 2021 08:49:37 UTC"),
        stale("5.3", "two digits", "Expires: Sat, 06 Nov 21 08:49:37 GMT"),
        stale("5.3", "no comma", "Expires: Sat 06 Nov 2021 08:49:37 GMT"),
        stale("5.3", "two spaces", "Expires: Sat, 06  Nov 2021 08:49:37 GMT"),
        stale("5.3", "periods in the time", "Expires: Sat, 06 Nov 2021 08.49.37 GMT"),
        stale("5.3", "one digit", "Expires: Sat, 06 Nov 2021 8:49:37 GMT"),
        stale("5.3", "a number", "Expires: 0"),
        stale("5.3", "nothing", "Expires: "),
        fresh("4.2.3", "an invalid Date is ignored", "Date: yesterday", "Cache-Control: max-age=60"),
    ]

    private static let ages = [
        ends("4.2.3", "Age counts", "Age: 40", "Cache-Control: max-age=60", after: 20),
        ends("4.2.3", "Date counts", "Date: {-40}", "Cache-Control: max-age=60", after: 20),
        ends("4.2.3", "the larger of both counts", "Date: {-40}", "Age: 50", "Cache-Control: max-age=60", after: 10),
        fresh("4.2.3", "a Date in the future", "Date: {100}", "Cache-Control: max-age=60"),
        stale("5.1", "more than max-age", "Age: 60", "Cache-Control: max-age=60"),
        stale("5.1", "the first member counts", "Age: 100, 0", "Cache-Control: max-age=60"),
        fresh("5.1", "the first member is zero", "Age: 0, 100", "Cache-Control: max-age=60"),
        stale("5.1", "the first line counts", "Age: 100", "Age: 0", "Cache-Control: max-age=60"),
        fresh("5.1", "the first line is zero", "Age: 0", "Age: 100", "Cache-Control: max-age=60"),
        fresh("5.1", "letters are ignored", "Age: abc", "Cache-Control: max-age=60"),
        fresh("5.1", "a negative age is ignored", "Age: -100", "Cache-Control: max-age=60"),
        fresh("5.1", "a fraction is ignored", "Age: 100.0", "Cache-Control: max-age=60"),
        ends("5.1", "Age isn't part of the lifetime of Expires", "Age: 40", "Date: {0}", "Expires: {60}", after: 20),
    ]

    private static let heuristics =
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].map { status in
            Scenario(
                "4.2.2", "\(status) is fresh for 10 %",
                .server("Last-Modified: {-1000}", "Date: {0}", status: status), .get(.sent), .wait(99),
                .get(.stored(status == 204 ? "" : "1")), .wait(1), .get(.validated("Sun, 09 Sep 2001 01:30:00 GMT")))
        }
        + [201, 202, 302, 307, 403, 429, 500, 502, 503, 504, 599].map { status in
            unstored("4.2.2", "\(status) isn't stored", "Last-Modified: {-1000}", status: status)
        }
        + [
            Scenario(
                "4.2.2", "public allows it", .server("Last-Modified: {-1000}", "Cache-Control: public", status: 599),
                .get(.sent), .wait(99), .get(.stored("1"))),
            Scenario(
                "4.2.2", "a week at most", .server("Last-Modified: {-1000000000}", "Date: {0}"), .get(.sent),
                .wait(604_799), .get(.stored("1")), .wait(1), .get(.validated("Thu, 01 Jan 1970 00:00:00 GMT"))),
            stale("4.2.2", "not without Last-Modified", "Date: {-1000}"),
            stale("4.2.2", "not with a date in the future", "Last-Modified: {1000}"),
            stale("4.2.2", "not with an explicit lifetime", "Last-Modified: {-1000}", "Cache-Control: max-age=0"),
            stale("4.2.2", "not with an invalid lifetime", "Last-Modified: {-1000}", "Expires: 0"),
        ]

    private static let directives = [
        stale("5.2.2.4", "no-cache", "Cache-Control: max-age=60, no-cache"),
        stale("5.2.2.4", "no-cache in mixed case", "Cache-Control: max-age=60, No-CaChE"),
        fresh("5.2.2.4", "no-cache with a name", "Cache-Control: max-age=60, no-cache=\"foo\""),
        stale("5.2.2.4", "no-cache with no name", "Cache-Control: max-age=60, no-cache=\"\""),
        stale("5.2.2.4", "no-cache with an empty list", "Cache-Control: max-age=60, no-cache=\" , \""),
        stale("5.2.2.4", "no-cache with nothing", "Cache-Control: no-cache=, max-age=60"),
        stale("5.2.2.4", "no-cache after one with a name", "Cache-Control: max-age=60, no-cache=\"foo\", no-cache"),
        stale("5.2.2.4", "no-cache after a quote that isn't closed", "Cache-Control: max-age=60, foo=\"a, no-cache"),
        unstored("5.2.2.5", "no-store after an open quote", "Cache-Control: max-age=60, foo=\"a, no-store"),
        unstored("5.2.2.5", "no-store after three quotes", "Cache-Control: max-age=\"60, no-store, foo=\"a\""),
        unstored(
            "5.2.2.5", "no-store in the line after an open quote", "Cache-Control: max-age=60, foo=\"a",
            "Cache-Control: no-store"),
        unstored("5.2.2.5", "no-store", "Cache-Control: max-age=60, no-store"),
        unstored("5.2.2.5", "no-store in mixed case", "Cache-Control: max-age=60, No-StOrE"),
        Scenario(
            "5.2.2.5", "a newer no-store leaves the older response",
            .server("Cache-Control: max-age=60", "Vary: Foo"), .get(.sent, "Foo: 1"),
            .server("Cache-Control: no-store"), .get(.sentFor("2"), "Foo: 1", policy: .reload),
            .get(.stored("1"), "Foo: 1")),
        fresh("5.2.2.7", "private", "Cache-Control: private, max-age=60"),
        fresh("5.2.2.8", "proxy-revalidate", "Cache-Control: proxy-revalidate, max-age=60"),
        fresh("5.2.2.2", "must-revalidate while fresh", "Cache-Control: must-revalidate, max-age=60"),
        Scenario(
            "5.2.2.3", "must-understand overrides no-store for a known status",
            .server("Cache-Control: must-understand, no-store, max-age=60"), .get(.sent), .get(.stored("1"))),
        unstored("5.2.2.3", "an unknown status", "Cache-Control: must-understand, max-age=60", status: 299),
        fresh("3", "an unknown status with max-age", "Cache-Control: max-age=60", status: 299),
        fresh("3", "503 with max-age", "Cache-Control: max-age=60", status: 503),
        fresh("3", "403 with Expires", "Expires: {60}", status: 403),
    ]

    /// A stored response with this field isn't used after an error.
    private static func fails(_ name: String, _ field: String, _ error: NetworkError = .lost) -> Scenario {
        Scenario("5861 4", name, .server(field), .get(.sent), .wait(2), .error(error), .get(.failed))
    }

    /// RFC 5861 and RFC 8246.
    private static let extensions = [
        Scenario(
            "5861 4", "stale-if-error after a lost connection",
            .server("Cache-Control: max-age=1, stale-if-error=60"), .get(.sent), .wait(60), .error(.lost),
            .get(.sentFor("1")), .wait(1), .get(.sentFor("1")), .wait(1), .get(.failed)),
        Scenario(
            "5861 4", "stale-if-error after 503", .server("Cache-Control: max-age=1, stale-if-error=60"), .get(.sent),
            .wait(60), .server(status: 503, body: "down"), .get(.sentFor("1")), .wait(2), .get(.sentFor("down"))),
        Scenario(
            "5861 4", "stale-if-error doesn't apply to 404",
            .server("Cache-Control: max-age=1, stale-if-error=60"), .get(.sent), .wait(2),
            .server(status: 404, body: "gone"), .get(.sentFor("gone"))),
        Scenario(
            "5861 4", "stale-if-error of the request", .server("Cache-Control: max-age=1"), .get(.sent), .wait(30),
            .error(.lost), .get(.failed), .get(.sentFor("1"), "Cache-Control: stale-if-error=60")),
        fails("not with must-revalidate", "Cache-Control: max-age=1, stale-if-error=60, must-revalidate"),
        fails("not with no-cache", "Cache-Control: max-age=1, stale-if-error=60, no-cache"),
        fails("not by itself", "Cache-Control: max-age=1"),
        fails(
            "an untrusted server isn't an error of this kind", "Cache-Control: max-age=1, stale-if-error=60",
            .connection(.init(kind: .tls(.untrusted), host: "a:443", mayHaveReachedServer: false))),
        Scenario(
            "8246 2", "immutable isn't validated while it is fresh",
            .server("Cache-Control: max-age=60, immutable", "ETag: \"a\""), .get(.sent),
            .get(.stored("1"), policy: .validate), .wait(60), .get(.validated("\"a\""), policy: .validate)),
    ]
}
