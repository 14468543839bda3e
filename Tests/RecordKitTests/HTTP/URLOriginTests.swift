import TestSupport
import XCTest

@testable import RecordKit

final class URLOriginTests: TimedTestCase {
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
}
