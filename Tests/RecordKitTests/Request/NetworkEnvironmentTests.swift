import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

extension NetworkEnvironment {
    fileprivate static let production = NetworkEnvironment(host: "store.example", version: "v1")
    fileprivate static let staging = NetworkEnvironment(
        host: "staging.store.example", port: 8443, pathPrefix: "api/\("shop/7")", version: "v2")
    fileprivate static let qa = NetworkEnvironment(scheme: "http", host: "[::1]", port: 8080)
}

final class NetworkEnvironmentTests: TimedTestCase {
    private func url(_ environment: NetworkEnvironment?, baseURL: String = "", path: RequestPath = "ask") throws
        -> String
    { try Ask<Data>(baseURL: baseURL, path: path).call(in: environment).url.absoluteString }

    func testEnvironmentsByDotNotation() throws {
        let table: [(NetworkEnvironment, String)] = [
            (.production, "https://store.example/v1/ask"),
            (.staging, "https://staging.store.example:8443/api/shop%2F7/v2/ask"),
            (.qa, "http://[::1]:8080/ask"),
            ("http://[fe80::1%25eth0]", "http://[fe80::1%25eth0]/ask"),
            (.production.appending("buckets/\("a b")"), "https://store.example/v1/buckets/a%20b/ask"),
            (.production.appending("x/"), "https://store.example/v1/x/ask"),
            ("https://store.example", "https://store.example/ask"),
            ("https://store.example/", "https://store.example/ask"),
            ("HTTPS://Store.Example/A/", "https://Store.Example/A/ask"),
            ("http://127.0.0.1:1", "http://127.0.0.1:1/ask"),
            ("https://store.example:65535/a%20b", "https://store.example:65535/a%20b/ask"),
            ("https://a_b.example", "https://a_b.example/ask"),
        ]
        for (environment, expected) in table {
            XCTAssertEqual(try url(environment).replacing("HTTPS://", with: "https://"), expected)
        }
    }

    func testARequestMayPinItsBase() throws {
        XCTAssertEqual(
            try url(.production, baseURL: "collections/records"), "https://store.example/v1/collections/records/ask")
        XCTAssertEqual(try url(.production, baseURL: "/x/"), "https://store.example/v1/x/ask")
        XCTAssertEqual(try url(.production, baseURL: "shop:7/a/b"), "https://store.example/v1/shop:7/a/b/ask")
        XCTAssertEqual(try url(.production, baseURL: "https://other.example/v9"), "https://other.example/v9/ask")
        XCTAssertEqual(try url(nil, baseURL: "https://other.example/v9", path: ""), "https://other.example/v9")
    }

    func testAnAddressThatAServerGaveIsAskedForAsItIs() throws {
        for address in [
            "https://other.example/search?q=swift+in%3Aname&flag&page=2", "https://h?x=%2B",
            "https://h:8443/a%2Fb?n=%7B",
        ] { XCTAssertEqual(try url(.production, baseURL: address, path: ""), address) }
        XCTAssertEqual(
            try url(nil, baseURL: "https://h/list?filter[a]=b c&d=%#top", path: ""),
            "https://h/list?filter%5Ba%5D=b%20c&d=%25", "what no query may hold is encoded, a fragment is not sent")
        for (address, sent) in [("https://h/a#top", "https://h/a"), ("https://h/a?", "https://h/a?")] {
            XCTAssertEqual(try url(nil, baseURL: address, path: ""), sent)
        }
        for (address, sent) in [
            ("https://h/list?after=7", "https://h/list?after=7&limit=2"), ("https://h/list?", "https://h/list?limit=2"),
        ] {
            let next = Ask<Data>(baseURL: address, path: "", query: ["limit": 2])
            XCTAssertEqual(try next.call(in: nil).url.absoluteString, sent)
        }
    }

    func testUnicodeHosts() throws {
        // RFC 5891: the host is sent in Punycode.
        XCTAssertEqual(try url(NetworkEnvironment(host: "bücher.example")), "https://xn--bcher-kva.example/ask")
        XCTAssertEqual(
            try url("https://plattenläden.example:8443/v1"), "https://xn--plattenlden-s8a.example:8443/v1/ask")
        XCTAssertEqual(try url(NetworkEnvironment(host: "日本.example")), "https://xn--wgv71a.example/ask")
    }

    func testAnInvalidEnvironmentIsReportedWithTheFirstRequest() {
        let table: [NetworkEnvironment] = [
            "", "store.example", "/v1", "ftp://store.example", "file:///etc/passwd", "://x", "https:store.example",
            "ht tp://store.example", "https://", "https:///x", "https://:80", "https://store.example:", "https://h:0",
            "https://h:65536", "https://h:99999999999999999999", "https://h:-1", "https://h:8o", "https://h:٨",
            "https://user:s3cret@store.example", "ftp://user:s3cret@h", "https://h?token=s3cret", "user:s3cret@h:8888",
            #"https:\\u:s3cret@h"#, "http:/u:s3cret@h", "http//u:s3cret@h", "h://u:s3#s3cret@h", "h://u:s3/s3cret@h",
            "https://u:s3cret/x@h", "https://u:s3cret?x@h", "http//u:s3cret@\u{301}h",
            "https://store.example?x=1", "https://store.example#x",
            "https://store.example/a b", "https://store.example/../x", "https://store.example/%2e%2e", "https://h com",
            "https://h\\com", "https://h%00", "https://[::1", "https://::1", "https://[zz]", "https://[fe80]",
            "https://h/[x]", "https://h/a|b", "https://[]",
            "https://[::1]x", "https://[::1]x80", "https://[::zz]", "https://[fe80::1%25a b]",
            "https://h\r\nX: y", "https://store.example/a%zz", "https://store.example/ä",
            "https://\u{202E}a",
            NetworkEnvironment(host: ""), NetworkEnvironment(host: "h.com/api"), NetworkEnvironment(host: "h:80"),
            NetworkEnvironment(host: "u:s3cret@evil"), NetworkEnvironment(host: "https://h"),
            NetworkEnvironment(host: "h?x"),
            NetworkEnvironment(host: "h", port: 0), NetworkEnvironment(host: "h", port: -1),
            NetworkEnvironment(host: "h", port: 65_536), NetworkEnvironment(scheme: "ht tp", host: "h"),
            NetworkEnvironment(scheme: "", host: "h"), NetworkEnvironment(scheme: "javascript", host: "h"),
            NetworkEnvironment(host: "h", pathPrefix: ".."), NetworkEnvironment(host: "h", version: ""),
            NetworkEnvironment(host: "h", version: ".."), NetworkEnvironment.production.appending("\("")"),
            NetworkEnvironment.production.appending("\("..")/x"),
        ]
        for environment in table {
            XCTAssertThrowsError(try url(environment), environment.baseURL) { error in
                guard case NetworkError.invalidRequest(let failure) = error else { return XCTFail("\(error)") }
                XCTAssertEqual(failure.member, .environment, environment.baseURL)
                for text in ["\(failure)", "\(environment)", String(reflecting: environment)] {
                    XCTAssertFalse(text.contains("s3cret"), text)
                }
                XCTAssertTrue(failure.request.hasPrefix("Ask"))
            }
        }
    }

    func testAnInvalidBaseURLIsReported() {
        let table = [
            "ftp://h", "https://", "https://u:p@h", "https://h?x", "a?b", "a#b", "a b", "../a", "a/%2E%2e/b", "ä",
            "a\u{0}",
            "x://y", "ftp://u:s3cret@h", "https://h/#token=s3cret", "a?token=s3cret", "a/b://c", "a%zz", "a\\b", "[a]",
        ]
        for base in table {
            XCTAssertThrowsError(try url(.production, baseURL: base), base) { error in
                guard case NetworkError.invalidRequest(let failure) = error else { return XCTFail("\(error)") }
                XCTAssertEqual(failure.member, .baseURL)
                XCTAssertFalse(failure.description.contains("s3cret"))
            }
        }
        XCTAssertThrowsError(try url(nil)) { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return XCTFail("\(error)") }
            XCTAssertEqual(failure.member, .baseURL)
        }
    }

    func testAMistakeInThePathPrefixIsKept() {
        let tenant = ""
        XCTAssertNotNil(NetworkEnvironment(host: "store.example", pathPrefix: "\(tenant)").invalidReason)
    }
}
