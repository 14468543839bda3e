import TestSupport
import XCTest

@testable import RecordKit

final class RedirectsTests: TimedTestCase {
    func testFromHTTPSNeverDownToHTTPUnlessAllowed() throws {
        XCTAssertEqual(place(from: "https://a.example/x", to: "http://a.example/y"), "insecure")
        XCTAssertEqual(place(from: "https://a.example/x", to: "//b.example/y"), "https://b.example/y")
        XCTAssertEqual(place(from: "http://a.example/x", to: "https://a.example/y"), "https://a.example/y")
        let policy = RedirectPolicy.follow(allowsInsecure: true)
        XCTAssertEqual(place(from: "https://a.example/x", to: "http://a.example/y", policy), "http://a.example/y")
    }

    func testTheOriginIsSchemeHostAndPort() {
        let same = RedirectPolicy.sameOrigin()
        XCTAssertEqual(
            place(from: "https://a.example/x", to: "https://A.example:443/y", same), "https://a.example:443/y")
        XCTAssertEqual(place(from: "https://a.example/x", to: "https://a.example:444/y", same), "otherOrigin")
        XCTAssertEqual(place(from: "https://a.example/x", to: "https://b.a.example/y", same), "otherOrigin")
        XCTAssertEqual(place(from: "http://a.example/x", to: "https://a.example/y", same), "otherOrigin")
    }

    func testASecretStaysWhenSchemeOrPortChangesAlone() throws {
        for location in ["https://a.example/y", "http://a.example:81/y", "http://b.example/y"] {
            var redirects = Redirects(of: call("http://a.example/x", .follow()))
            let next = try redirects.next(after: redirect(to: location), of: call("http://a.example/x", .follow()))
            XCTAssertEqual(next?.headers.map(\.name), ["X-Plain"], location)
        }
    }

    func testNothingSecretOfARefusedAddressIsPrinted() {
        let locations = [
            "http://me:s3cret@b.example/?token=s3cret&page=2", "ftp://b.example/?token=s3cret",
            "http://b.example/?till=s3cret",
        ]
        for location in locations {
            var redirects = Redirects(of: call("http://a.example/x", .sameOrigin()))
            var response = redirect(to: location)
            response.headers.markSensitive(["till"])
            XCTAssertThrowsError(try redirects.next(after: response, of: call("http://a.example/x", .sameOrigin()))) {
                error in
                XCTAssertFalse("\(error)".contains("s3cret"), "\(error)")
            }
        }
    }

    func testALimitOfNoneOrLessFollowsNone() {
        for limit in [0, -1] {
            let policy = RedirectPolicy.follow(limit: limit)
            XCTAssertEqual(place(from: "http://a.example/x", to: "/y", policy), "tooMany(limit: \(limit))")
        }
    }

    func testAnAddressIsALoopAtItsSecondTimeUnlessTheMethodChanges() throws {
        XCTAssertEqual(place(from: "http://a.example/x", to: "/x"), "loop")
        var form = call("http://a.example/x", .follow())
        form.method = .post
        var redirects = Redirects(of: form)
        XCTAssertEqual(try redirects.next(after: redirect(to: "/x", status: 303), of: form)?.method, .get)
    }

    /// RFC 9110 section 15.4.
    func testFieldsThatDescribeABodyAreRemovedWithIt() throws {
        var form = call("http://a.example/x", .follow())
        form.method = .put
        let names = ["Content-Type", "Content-Digest", "Digest", "Repr-Digest", "Last-Modified", "Expect", "If-Match"]
        for name in names { form.headers[name] = "x" }
        var redirects = Redirects(of: form)
        let next = try redirects.next(after: redirect(to: "/y", status: 303), of: form)
        XCTAssertEqual(next?.headers.map(\.name), ["Authorization", "Host", "X-Plain"])
    }

    func testABodyThatCannotBeSentAgainIsNot() {
        var upload = call("http://a.example/x", .follow())
        upload.method = .put
        upload.body = EncodedBody(.data(Data("x".utf8)), canBeSentAgain: false)
        var redirects = Redirects(of: upload)
        XCTAssertThrowsError(try redirects.next(after: redirect(to: "/y", status: 307), of: upload)) { error in
            guard case .redirectRefused(let refusal) = error as? NetworkError else { return XCTFail("\(error)") }
            XCTAssertEqual(refusal.reason, .bodyCannotBeSentAgain)
        }
    }

    func testARedirectThatChangesTheMethodIsTheResponseIfItMustStay() throws {
        for (status, method, follows) in [
            (302, HTTPMethod.post, false), (303, .put, false), (301, .delete, false), (307, .post, true),
            (308, .patch, true), (303, .get, true), (302, .head, true),
        ] {
            var sent = call("http://a.example/x", .sameMethod())
            sent.method = method
            var redirects = Redirects(of: sent)
            let next = try redirects.next(after: redirect(to: "http://b.example/y", status: status), of: sent)
            XCTAssertEqual(next?.method, follows ? method : nil, "\(status)")
        }
        XCTAssertEqual(
            place(from: "http://a.example/x", to: "http://b.example", .sameMethod(.sameOrigin())), "otherOrigin")
        XCTAssertEqual(place(from: "http://a.example/x", to: "/y", .sameMethod(.follow(limit: 0))), "tooMany(limit: 0)")
        XCTAssertEqual(place(from: "http://a.example/x", to: "/y", .sameMethod(.never)), "nowhere")
    }

    /// Returns the URL that a redirect leads to, or why it is refused.
    private func place(from: String, to location: String, _ policy: RedirectPolicy = .follow()) -> String {
        let call = call(from, policy)
        var redirects = Redirects(of: call)
        do throws(NetworkError) {
            return try redirects.next(after: redirect(to: location), of: call)?.url.absoluteString ?? "nowhere"
        } catch {
            guard case .redirectRefused(let refusal) = error else { return "\(error)" }
            return "\(refusal.reason)"
        }
    }

    private func call(_ url: String, _ policy: RedirectPolicy) -> NetworkCall {
        NetworkCall(
            url: URL(string: url) ?? URL(filePath: "/"),
            headers: ["Authorization": "s3cret", "Host": "a.example", "X-Plain": "x"],
            options: RequestOptions(redirects: policy))
    }

    private func redirect(to location: String, status: Int = 302) -> NetworkResponse {
        NetworkResponse(statusCode: status, headers: ["Location": location], url: URL(filePath: "/"))
    }
}
