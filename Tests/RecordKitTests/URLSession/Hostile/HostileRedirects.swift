import Foundation
import RecordKit
import RecordKitTesting
import TestSupport

extension HostileBehavior {
    private static let basic = "Basic realm=\"shop\""
    private static let never = Ask<NetworkResponse>(options: RequestOptions(redirects: .never))
    private static let sameOrigin = Ask<NetworkResponse>(options: RequestOptions(redirects: .sameOrigin()))
    private static let twice = Ask<NetworkResponse>(options: RequestOptions(redirects: RedirectPolicy.follow(limit: 2)))

    private static func challenge(_ name: String, _ values: String..., inOtherSession: String? = nil)
        -> HostileBehavior
    {
        let lines = values.map { "WWW-Authenticate: \($0)\r\n" }.joined()
        let bytes = "HTTP/1.1 401 \r\n\(lines)Content-Length: 2\r\n\r\nno"
        return HostileBehavior(name: "401, " + name, expected: "refused 401 no", inOtherSession: inOtherSession) { _ in
            [.send(bytes), .close]
        }
    }

    /// Redirects without a target, in a loop, to another origin, or to another scheme.
    static let redirects: [HostileBehavior] = [
        .redirect("a redirect to itself", to: "/ask", "redirect: loop"),
        .redirect("a redirect by query", to: "?x=1", "redirect: loop"),
        HostileBehavior(name: "two that redirect to each other", expected: "redirect: loop") { request in
            .redirect(to: request.path == "/ask" ? "/other" : "/ask")
        },
        HostileBehavior(name: "a redirect more than allowed", expected: "redirect: tooMany(limit: 2)", request: twice) {
            .redirect(to: $0.path + "x")
        },
        HostileBehavior(name: "redirects without end", expected: "redirect: tooMany(limit: 10)") { request in
            .redirect(to: request.path + "x")
        },
        .redirect("an empty Location", to: "", "redirect: badLocation"),
        .redirect("a file", to: "file:///etc/passwd", "redirect: badLocation"),
        .redirect("a script", to: "javascript:alert(1)", "redirect: badLocation"),
        .redirect("a mail", to: "mailto:somebody@h", "redirect: badLocation"),
        .redirect("a scheme alone", to: "http:", "redirect: badLocation"),
        .redirect("a host that is none", to: "http://a%20b/", "redirect: badLocation"),
        .redirect("a port past all ports", to: "http://127.0.0.1:99999999999/", "redirect: badLocation"),
        .redirect("a port in letters", to: "//h:80:90/", "redirect: badLocation"),
        .redirect("a bracket", to: "//[/", "redirect: badLocation"),
        .redirect("a host with a dollar sign", to: "http://a$b.invalid/x?token=1", "redirect: badLocation"),
        .redirect("no Location", to: "/x", status: 304, "refused 304 "),
        .answer("a 302 without Location", .status(302), "refused 302 "),
        .answer("a 300 with Location", .redirect(to: "/x", status: 300), "refused 300 "),
        .redirect("dots past the root", to: "../../../x", "200 GET /x"),
        .redirect("a query", to: "x?a=%zz&b=[c]", "200 GET /x?a=%25zz&b=%5Bc%5D"),
        .redirect("spaces and umlauts", to: "/a b/ü", "200 GET /a%20b/%C3%BC"),
        .redirect("a fragment", to: "/x#y", "200 GET /x"),
        .redirect("white space around a Location", to: "\t /x \t", "200 GET /x"),
        .redirect(
            "a Location of 8 KB", to: "/" + String(repeating: "x", count: 8000),
            "200 GET /" + String(repeating: "x", count: 55)),
        .redirect("a redirect that is not wanted", to: "/x", "refused 302 ", request: never),
        .redirect(
            "another origin that is not wanted", to: "http://localhost:1/x", "redirect: otherOrigin",
            request: sameOrigin),
        .redirect("a port where nothing listens", to: "http://127.0.0.1:1/x", "refused"),
        .redirect("a name that is none", to: "http://nowhere.invalid/x", "nameNotFound"),
        HostileBehavior(name: "a redirect and then a cut", expected: "lost") { request in
            request.path == "/ask" ? .redirect(to: "/x") : .text("abc").cut(after: 1)
        },
        HostileBehavior(
            name: "a redirect with a large body", expected: "200 ", request: Ask(options: RequestOptions(sizeLimit: 10))
        ) { request in
            request.path == "/ask" ? .status(302, headers: ["Location": "/x"], body: Data(count: 5000)) : .status(200)
        },
        HostileBehavior(name: "a redirect to a challenge", expected: "refused 401 no", inOtherSession: "refused 401 ") {
            request in
            request.path == "/ask"
                ? .redirect(to: "/x") : .status(401, headers: ["WWW-Authenticate": basic], body: Data("no".utf8))
        },
        challenge("Basic", basic, inOtherSession: "refused 401 "),
        challenge("Basic without a realm", "Basic"),
        challenge("Basic with half a realm", "Basic realm="),
        challenge("Digest", #"Digest realm="shop", nonce="n", qop="auth""#),
        challenge("Bearer", #"Bearer realm="shop", error="invalid_token""#),
        challenge("Negotiate", "Negotiate"),
        challenge("NTLM", "NTLM"),
        challenge("an unknown scheme", "Unknown x=y"),
        challenge("nonsense", ",,=="),
        challenge("an empty one", ""),
        challenge("two lines", basic, "Bearer", inOtherSession: "refused 401 "),
        challenge("two in a line", #"Basic realm="shop", Bearer realm="till""#, inOtherSession: "refused 401 "),
        challenge("none"),
        .answer(
            "401, cut short", .status(401, headers: ["WWW-Authenticate": basic], body: Data("abc".utf8)).cut(after: 1),
            "lost"),
        .answer(
            "407", .status(407, headers: ["Proxy-Authenticate": basic], body: Data("no".utf8)),
            "proxyRefused(status: 407) unsent"),
    ]
}
