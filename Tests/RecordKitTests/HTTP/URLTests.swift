import TestSupport
import XCTest

@testable import RecordKit

final class URLTests: TimedTestCase {
    /// Each spelling of an origin gives the same string, whether the origin is read from the URL or from its
    /// components.
    func testAllWritingsOfAnOriginAreOne() throws {
        let writings = [
            "https://store.example:443": [
                "https://store.example", "https://store.example/", "https://store.example?q=a",
                "https://store.example#a",
                "https://store.example:443/v1", "https://store.example:0443/v1", "https://store.example:/v1",
                "HTTPS://Store.EXAMPLE/v1", "https://clerk:pw@store.example/v1", "https://clerk@store.example:443",
                "https://st%6Fre.example/v1", "https://store.example/http://other.example:80/",
            ],
            "http://store.example:80": [
                "http://store.example", "http://store.example:80?q=a", "http://store.example:080",
            ],
            "http://store.example:443": ["http://store.example:443/"],
            "http://store.example:8888": ["http://store.example:8888/v1", "http://store.example:8888#a"],
            "http://127.0.0.1:49152": ["http://127.0.0.1:49152/v1"],
            "http://[::1]:8888": ["http://[::1]:8888/v1"],
            "https://[2001:db8::1]:443": ["https://[2001:db8::1]/", "https://[2001:DB8::1]:443/"],
        ]
        for (origin, addresses) in writings {
            for address in addresses {
                let url = try XCTUnwrap(URL(string: address), address)
                XCTAssertEqual(URLOrigin(url).description, origin, address)
                XCTAssertEqual(URLOrigin(url).hostAndPort, String(origin.split(separator: "//")[1]), address)
                let parts = (URLOrigin(url).scheme, URLOrigin(url).host, URLOrigin(url).port)
                XCTAssertEqual("\(parts.0)://\(parts.1):\(parts.2)", origin, address)
            }
        }
    }

    func testACallKnowsTheOriginOfAnAddressThatIsChanged() throws {
        var call = NetworkCall(url: try XCTUnwrap(URL(string: "https://store.example/v1")))
        let original = call
        call.url = try XCTUnwrap(URL(string: "http://other.example:8888/"))
        XCTAssertEqual(call.origin, "http://other.example:8888")
        XCTAssertEqual(original.origin, "https://store.example:443")
        XCTAssertEqual(original.url.path(), "/v1")
    }

    // MARK: Redaction

    func testItemsAreRedactedByTheirNames() throws {
        for (address, expected) in [
            "https://a.example/x": "https://a.example/x",
            "https://a.example/f?token=S3,CR;E/T'S?x&page=2#top":
                "https://a.example/f?token=redacted&page=2#top",
            "https://a.example/f?page=2&access%5Ftoken=S3=CRET": "https://a.example/f?page=2&access%5Ftoken=redacted",
            "https://a.example/f?user%5Bpassword%5D=S3CRET": "https://a.example/f?user%5Bpassword%5D=redacted",
            "https://a.example/f?door+code=S3CRET": "https://a.example/f?door+code=redacted",
            "https://a.example/f#access_token=S3?CRET&page=2": "https://a.example/f#access_token=redacted&page=2",
            "https://a.example/f?sig=S3CRET#/cb?id_token=S3CRET":
                "https://a.example/f?sig=redacted#/cb?id_token=redacted",
            "https://a.example/f?a&&token=&token&b=1#top": "https://a.example/f?a&&token=&token&b=1#top",
            "https://a.example/f?AWSAccessKeyId=A&sid=b&SESSION=c&sku=d":
                "https://a.example/f?AWSAccessKeyId=redacted&sid=redacted&SESSION=redacted&sku=d",
            // Only long ones are credentials. An escape is one character.
            "https://a.example/f?code=US&key=0123456789ABCDE&code=0123456789ABCDEF":
                "https://a.example/f?code=US&key=0123456789ABCDE&code=redacted",
            "https://a.example/f?key=0123456789ABC%20%21&Key=0123456789ABCD%20%21":
                "https://a.example/f?key=0123456789ABC%20%21&Key=redacted",
            // The path and the contents of a value are not redacted.
            "https://a.example/f;token=x?next=https%3A%2F%2Fb%2F%3Ftoken%3Dx":
                "https://a.example/f;token=x?next=https%3A%2F%2Fb%2F%3Ftoken%3Dx",
        ] { XCTAssertEqual(try XCTUnwrap(URL(string: address)).redacted(["door code"]), expected) }
    }

    func testUserInformationIsRedacted() {
        for (address, expected) in [
            "https://ann:p@ss@a.example/x@y?z=@": "https://redacted@a.example/x@y?z=@",
            "//ann@a.example//b@c": "//redacted@a.example//b@c", "https://a.example/x@y": "https://a.example/x@y",
            "https://ann:p@a.example?x": "https://redacted@a.example?x",
            "https://a.example?x=//b@c": "https://a.example?x=//b@c", "/next?pin=1&page=2": "/next?pin=redacted&page=2",
            "https://ann:p@": "https://redacted@", "https://@a": "https://@a", "#": "#", "?": "?", "?#@": "?#@",
        ] { XCTAssertEqual(redacted(address), expected) }
    }

    /// Returns the redacted string. It may be an invalid URL, as a `Location` may be.
    private func redacted(_ address: String) -> String? {
        var headers: HTTPHeaders = ["Location": address]
        headers.markSensitive(["pin"])
        return headers.redacted()["Location"]
    }
}
