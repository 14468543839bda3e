/// The names of headers and query items whose values are secret wherever they appear.
package struct SecretNames {
    /// What stands in the place of a secret.
    package static let replacement = "redacted"

    /// Secret beside the well-known ones, in lower case.
    private let marked: Set<String>

    package init(_ marked: Set<String>) {
        self.marked = marked
    }

    /// Whether a name is secret, without regard to case; also by a part of it, as forms nest them: a marked one by any,
    /// `user[pin]`, `pin.first`; a well-known one by any in brackets, `otp[code]`, and by the last between points,
    /// `user.otp`.
    @inline(never)
    package func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        if marked.contains(name) || Self.isWellKnown(name) { return true }
        guard name.utf8.contains(where: { "[.+".utf8.contains($0) }) else { return false }
        // In a query a plus may stand for a space.
        let parts = name.replacing("+", with: " ").split { "[]".contains($0) }.map { $0.split(separator: ".") }
        return parts.joined().contains { marked.contains(String($0)) }
            || parts.contains { Self.exact.contains($0.last.map { String($0) } ?? "") }
    }

    private static let exact: Set<String> = [
        "authorization", "proxy-authorization", "authentication-info", "proxy-authentication-info",
        "cookie", "cookie2", "set-cookie", "set-cookie2", "x-auth", "x-authorization", "dpop",
        "x-amz-signature", "sig", "pwd", "otp", "phpsessid", "assertion", "client_assertion", "code_verifier",
    ]

    private static let parts: [[UInt8]] = [
        "token", "secret", "password", "passwd", "apikey", "api-key", "api_key", "access-key", "access_key",
        "accesskey", "auth-key", "auth_key", "authkey", "private-key", "private_key", "privatekey", "passphrase",
        "master-key", "functions-key", "subscription-key", "jwt", "csrf", "xsrf", "credential", "session-id",
        "sessionid", "session_id", "signature",
    ].map { Array($0.utf8) }

    /// Tokens that open nothing: places in a list, and counts of what a language model reads and writes. Without
    /// dashes, underscores and dots.
    private static let plain: Set<String> = [
        "pagetoken", "nextpagetoken", "previouspagetoken", "prevpagetoken", "nexttoken", "paginationtoken",
        "synctoken", "nextsynctoken", "maxtokens", "maxoutputtokens", "maxcompletiontokens", "totaltokens",
        "prompttokens", "completiontokens", "inputtokens", "outputtokens", "cachedtokens", "reasoningtokens",
        "totaltokencount", "prompttokencount", "candidatestokencount",
    ]

    /// `name` in lower case.
    @inline(never)
    private static func isWellKnown(_ name: String) -> Bool {
        if exact.contains(name) { return true }
        var bytes = name
        let hasPart = bytes.withUTF8 { bytes in
            parts.contains { bytes.range(of: $0, in: bytes.indices) != nil }
        }
        if !hasPart || isPlain(name) { return false }
        // The places and counts of a nested name are no more secret than by themselves.
        let members = name.split { "[].".contains($0) }
        return members.count < 2 || members.contains { isWellKnown(String($0)) }
    }

    private static func isPlain(_ name: String) -> Bool {
        plain.contains(name.filter { $0 != "_" && $0 != "-" && $0 != "." })
    }
}
