/// The names of header fields, query items and body fields whose values are sensitive.
///
/// Comparing names ignores case and word separators: `apiKey`, `API-Key` and `api_key` are the same name.
struct SensitiveNames: Sendable {
    /// The string that replaces a sensitive value.
    static let replacement = "redacted"

    /// The names that are sensitive in addition to the well-known ones, lowercased and without separators.
    private let added: Set<String>

    /// Creates the well-known names and additional ones.
    init(_ added: Set<String>) {
        self.added = Set(added.map { Self.words(of: $0[...]).joined() })
    }

    /// Returns whether a name, or a name nested in it, is sensitive. `user[password]` is sensitive due to `password`.
    func isSensitive(_ name: String) -> Bool {
        Self.isWellKnown(name) || !added.isEmpty && isAdded(name)
    }

    /// Returns whether an item of a query, or of a fragment, is sensitive.
    ///
    /// `key` and `code` are common names. Only a value of 16 characters or more is probably a credential.
    func isSensitive(_ name: String, queryValue value: @autoclosure () -> String) -> Bool {
        if isSensitive(name) { return true }
        switch Self.words(of: Self.withoutMark(name)).joined() {
        case "awsaccesskeyid", "sid", "session": return true
        case "key", "code": return value().count >= 16
        default: return false
        }
    }

    /// Returns whether a name, or a name nested in it, is a well-known one.
    static func isWellKnown(_ name: String) -> Bool {
        // Saves the search for the fields that most requests have.
        if usualFields.contains(name) { return false }
        return parts(of: name).contains { isWellKnown($0) }
    }

    /// Returns the names that are nested in a name, such as `user` and `password` of `user[password]`.
    private static func parts(of name: String) -> [Substring] {
        withoutMark(name).split { $0 == "[" || $0 == "]" }
    }

    /// Returns a name without a byte order mark, which Foundation (Swift 6.3.1) drops at the start of a name in JSON or
    /// in a form.
    private static func withoutMark(_ name: String) -> Substring {
        name.hasPrefix("\u{FEFF}") ? name.dropFirst() : name[...]
    }

    /// Returns whether a name, or a name nested in it with brackets or dots, is an additional one, or ends like one.
    private func isAdded(_ name: String) -> Bool {
        let parts = Self.parts(of: name)
        let names = [Self.withoutMark(name)] + parts + parts.flatMap { $0.split(separator: ".") }
        return names.contains { name in
            let words = Self.words(of: name)
            return words.indices.contains { added.contains(words[$0...].joined()) }
        }
    }

    /// Returns whether a name is a well-known one, or ends like one.
    private static func isWellKnown(_ name: Substring) -> Bool {
        var words = words(of: name)
        if names.contains(words.joined()) { return true }
        if words.first == "x" {
            words.removeFirst()
            if names.contains(words.joined()) { return true }
        }
        let ends = (1...3).map { words.suffix($0).joined() }
        return ends.contains(where: endings.contains) && !ends.contains(where: harmlessEndings.contains)
    }

    /// Returns the words of a name, in lower case.
    ///
    /// Splits the name at characters that are neither letters nor digits, and where the case changes: `APIKey` becomes
    /// `api` and `key`.
    private static func words(of name: Substring) -> [String] {
        let bytes = Array(name.utf8)
        var words: [String] = []
        var start = 0
        func endWord(at end: Int) {
            if end > start { words.append(String(decoding: bytes[start..<end], as: UTF8.self).lowercased()) }
        }
        for (index, byte) in bytes.enumerated() {
            if !isOfWord(byte) {
                endWord(at: index)
                start = index + 1
            } else if index > start, isCapital(byte) {
                let isFollowedBySmall =
                    index + 1 < bytes.count && isOfWord(bytes[index + 1]) && !isCapital(bytes[index + 1])
                if isCapital(bytes[index - 1]), !isFollowedBySmall { continue }
                endWord(at: index)
                start = index
            }
        }
        endWord(at: bytes.count)
        return words
    }

    /// Returns whether a byte is part of a word.
    private static func isOfWord(_ byte: UInt8) -> Bool { byte >= 128 || ByteSet.alphanumerics.contains(byte) }

    /// Returns whether a byte is an ASCII capital.
    private static func isCapital(_ byte: UInt8) -> Bool { byte >= 65 && byte <= 90 }
}

extension SensitiveNames {
    /// Header fields that most messages have, in their usual spelling. None is sensitive.
    private static let usualFields: Set<String> = [
        "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Connection", "Content-Length", "Content-Type",
        "Date", "ETag", "Expires", "If-Match", "If-None-Match", "Last-Modified", "Server", "User-Agent", "Vary",
        "X-Request-ID",
    ]
}

// All names are lowercased and have no separators.
extension SensitiveNames {
    /// The well-known names, with or without a leading `X-`.
    private static let names: Set<String> = [
        "authorization", "proxyauthorization", "forwardedauthorization", "originalauthorization",
        "serverlessauthorization", "msauthorizationauxiliary", "authenticationinfo", "proxyauthenticationinfo",
        "bearer", "registryconfig", "jfrogartapi", "honeycombteam", "hapikey", "xsession", "jenkinscrumb",
        "cookie", "cookie2", "setcookie", "setcookie2", "sessioncookie",
        "dpop", "wsse", "csrf", "xsrf", "csrfmiddlewaretoken",
        "sign", "hubsignature256", "signatureed25519", "hmac", "shopifyhmacsha256", "cvc", "cvv", "cvv2",
        "idtokenhint", "otpattempt", "assertion", "clientassertion", "samlassertion", "samlresponse", "codeverifier",
        "oauthverifier",
        "phpsessid", "jsessionid",
        "credentials", "usercredentials", "clientcredentials", "accesstokens", "refreshtokens",
        "authcode", "authorizationcode", "backupcode", "devicecode", "logincode", "mfacode", "onetimecode", "otpcode",
        "recoverycode", "recoverycodes", "securitycode", "smscode", "totpcode", "twofactorcode", "verificationcode",
        "passwordconfirm", "passwordconfirmation",
    ]

    /// The last one to three words of a sensitive name.
    private static let endings: Set<String> = [
        "token", "accesstoken", "authtoken", "idtoken", "refreshtoken", "csrftoken", "xsrftoken", "jwt", "jwtassertion",
        "secret", "clientsecret", "password", "password1", "password2", "passwordhash", "passwd", "pwd", "passphrase",
        "passcode", "pin", "otp", "totp", "credential", "sessionid", "authsession", "loginsession", "usersession",
        "authorization", "auth", "authassertion", "signature", "sig", "accesssign", "apisign", "bapisign",
        "apikey", "rapidapikey", "mashapekey", "accesskey", "accountkey", "adminkey", "appkey", "applicationkey",
        "authkey", "consumerkey", "encryptionkey", "encryptioncustomerkey", "functionskey", "insertkey", "licensekey",
        "masterkey", "privatekey", "querykey", "secretkey", "serverkey", "sessionkey", "sharedkey", "signingkey",
        "subscriptionkey", "writekey",
    ]

    /// The last words of names that only look like credentials, such as positions in a list.
    private static let harmlessEndings: Set<String> = [
        "pagetoken", "nexttoken", "previoustoken", "paginationtoken", "synctoken",
        "oauth", "needsauth", "requiresauth", "useauth", "requiresauthorization", "preauthorization",
        "timesignature", "keysignature", "emailsignature", "htmlsignature", "functionsignature", "methodsignature",
        "timesig", "gpiopin", "mappin",
    ]
}
