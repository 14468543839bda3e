import TestSupport
import XCTest

@testable import RecordKit

final class RedirectTargetTests: TimedTestCase {
    /// The examples of RFC 3986 sections 5.4.1 and 5.4.2. The results have no fragments.
    private let ofTheStandard: KeyValuePairs<String, String?> = [
        "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g", "//g": "http://g",
        "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q", "g#s": "http://a/b/c/g",
        "g?y#s": "http://a/b/c/g?y", ";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x",
        "g;x?y#s": "http://a/b/c/g;x?y", ".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/",
        "../": "http://a/b/", "../g": "http://a/b/g", "../..": "http://a/", "../../": "http://a/",
        "../../g": "http://a/g", "../../../g": "http://a/g", "../../../../g": "http://a/g", "/./g": "http://a/g",
        "/../g": "http://a/g", "g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..",
        "..g": "http://a/b/c/..g", "./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h",
        "g/../h": "http://a/b/c/h", "g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y",
        "g?y/./x": "http://a/b/c/g?y/./x", "g?y/../x": "http://a/b/c/g?y/../x", "g#s/./x": "http://a/b/c/g",
        "g#s/../x": "http://a/b/c/g", "g:h": nil, "http:g": nil, "": nil,
    ]

    private let others: KeyValuePairs<String, String?> = [
        "https://b.example/x": "https://b.example/x", "HTTP://B.example:8080/x": "http://b.example:8080/x",
        "http://b.example": "http://b.example", "http://b.example?x": "http://b.example?x",
        // Credentials and fragments are not sent.
        "http://user:pass@b.example/x#top": "http://b.example/x",
        "//user@b.example/x": "http://b.example/x",
        // Characters that a URL may not contain are encoded. Encoded characters stay as they are.
        "/with space": "http://a/with%20space",
        "/a%2Fb?c=%26": "http://a/a%2Fb?c=%26",
        "/100%": "http://a/100%25",
        "/a b%20c?d=é&e=%2F#%zz": "http://a/a%20b%20c?d=%C3%A9&e=%2F",
        "?ids[]=1&next=%2Fx": "http://a/b/c/d;p?ids%5B%5D=1&next=%2Fx",
        "http://bücher.example/ü%20": "http://xn--bcher-kva.example/%C3%BC%20",
        "/ü?ö": "http://a/%C3%BC?%C3%B6",
        "http://bücher.example/": "http://xn--bcher-kva.example/",
        "//[::1]:8080/x": "http://[::1]:8080/x",
        #"\\evil.example\x"#: "http://a/b/c/%5C%5Cevil.example%5Cx",
        "//g:65535/": "http://g:65535/",
        // URLs that are neither http nor https.
        "ftp://b.example/x": nil,
        "file:///etc/passwd": nil,
        "javascript:alert(1)": nil,
        "data:text/plain,x": nil,
        "mailto:somebody@b.example": nil,
        "http://": nil,
        "http:///x": nil,
        "//": nil,
        "//:80": nil,
        "//g:0/": nil,
        "//g:65536/": nil,
        "//g:99999999999999999999/": nil,
        "//g:-1/": nil,
        "//g:80:90/": nil,
        "//[::1/": nil,
        "//[]/": nil,
        "//a b/": nil,
        "//a%20b/": nil,
        "//a%2Fb/": nil,
        "//a%00b/": nil,
        "//a%40b/": nil,
    ]

    func testReferencesAreResolvedAsTheStandardSays() throws {
        let base = try XCTUnwrap(URL(string: "http://a/b/c/d;p?q"))
        for (location, expected) in Array(ofTheStandard) + Array(others) {
            XCTAssertEqual(RedirectTarget.resolve(location, against: base)?.absoluteString, expected, location)
        }
    }

    func testAVeryLongLocationIsResolved() throws {
        let base = try XCTUnwrap(URL(string: "http://a/b"))
        let path = "/" + String(repeating: "../x/", count: 20_000)
        XCTAssertEqual(RedirectTarget.resolve(path, against: base)?.absoluteString, "http://a/x/")
    }

    func testNothingSecretOfABadLocationIsPrinted() {
        XCTAssertEqual(RedirectTarget.printable("ftp://me:s3cret@h/x?token=s3cret#s3cret"), "redacted@h/x")
        XCTAssertEqual(RedirectTarget.printable("ftp://h/x#token=s3cret"), "ftp://h/x")
        XCTAssertEqual(RedirectTarget.printable("javascript:void"), "javascript:redacted")
        XCTAssertEqual(RedirectTarget.printable("ftp://h/\u{1B}[2J"), #"ftp://h/\u{1b}[2J"#)
        XCTAssertEqual(RedirectTarget.printable(String(repeating: "x", count: 500)).count, 200)
    }

    /// URLSession joins the lines of a field with a comma and a space.
    func testSeveralLocations() {
        let rows: [([String], [String])] = [
            ([], []), ([""], [""]), (["/a"], ["/a"]), (["/a", "/b"], ["/a", "/b"]), (["/a", "/a"], ["/a"]),
            (["/a, /b"], ["/a", "/b"]), (["/a, /a"], ["/a"]), (["b", "c"], ["b", "c"]),
            (["/a, https://b.example/?x=1, //c.example"], ["/a", "https://b.example/?x=1", "//c.example"]),
            (["/a?x=b, c"], ["/a?x=b, c"]), (["/a?x=b,/c,http://d.example"], ["/a?x=b,/c,http://d.example"]),
            (["/a, b, /c"], ["/a, b", "/c"]),
        ]
        for (lines, locations) in rows {
            let headers = HTTPHeaders(lines.map { HTTPHeaders.Field(name: "Location", value: $0) })
            XCTAssertEqual(RedirectTarget.locations(in: headers), locations, "\(lines)")
        }
    }
}
