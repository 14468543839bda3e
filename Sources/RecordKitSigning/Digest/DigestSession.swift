import Foundation
import RecordKit

/// What a client remembers of a challenge, to sign calls before the server asks (RFC 7616 section 3.6).
struct DigestSession {
    let challenge: DigestChallenge
    /// The nonce for the next call: that of the challenge, or the server's `nextnonce`.
    private(set) var nonce: String
    /// The number of calls that were signed with the nonce.
    private(set) var count: UInt32 = 0
    /// Whether this call received the challenge itself.
    var isFresh = false
    /// The client's nonce. It stays the same, since the digest of `-sess` contains it.
    private let clientNonce: String
    private let user: String
    /// The digest of user, realm and password (section 3.4.2).
    private let secret: String
    /// The beginnings of the URLs of the protection space, or `nil` for all URLs of the origin.
    private let space: [String]?

    init(_ challenge: DigestChallenge, user: String, password: String, clientNonce: String, from call: NetworkCall) {
        self.challenge = challenge
        self.user = user
        self.clientNonce = clientNonce
        nonce = challenge.nonce
        func hash(_ text: String) -> String { challenge.algorithm.hash(text) }
        let plain = challenge.hash(user: user, password: password)
        secret = challenge.isSession ? hash("\(plain):\(challenge.nonce):\(clientNonce)") : plain
        let urls = challenge.domain.compactMap { URL(string: $0).flatMap { call.resolved($0) } }
        space = challenge.domain.isEmpty ? nil : urls.map(\.absoluteString)
    }

    /// Returns whether a call is known to need the credentials.
    func protects(_ call: NetworkCall) -> Bool {
        space?.contains { call.url.absoluteString.hasPrefix($0) } ?? true
    }

    /// The session with the next number of the nonce.
    var counted: DigestSession {
        var session = self
        session.count &+= 1
        return session
    }

    /// Continues with the nonce that the server wants next (section 3.5).
    mutating func renew(_ nonce: String) {
        self.nonce = nonce
        count = 0
    }

    /// Returns the value of `Authorization` (section 3.4).
    ///
    /// - Parameters:
    ///   - call: The call to sign.
    ///   - body: The digest of the body, for `auth-int`.
    func authorization(for call: NetworkCall, body: String) -> String {
        func hash(_ text: String) -> String { challenge.algorithm.hash(text) }
        let target = call.url.target
        let uri = target.path + (target.query.map { "?\($0)" } ?? "")
        let number = String(repeating: "0", count: 8 - String(count, radix: 16).count) + String(count, radix: 16)
        let protection = challenge.protection?.rawValue
        let signed =
            hash("\(call.method.rawValue):\(uri)" + (challenge.protection == .authInt ? ":\(body)" : ""))
        let middle = protection.map { "\(nonce):\(number):\(clientNonce):\($0)" } ?? nonce
        let response = hash("\(secret):\(middle):\(signed)")

        var parts: [String] = []
        if challenge.hashesUser {
            parts.append("username=\"\(challenge.hash(user: user))\"")
        } else if challenge.takesExtendedUser, user.utf8.contains(where: { $0 >= 128 }) {
            parts.append("username*=UTF-8''\(user.percentEncoded)")
        } else {
            // Apache (2.4) ignores `username*`.
            parts.append("username=\(Self.quoted(user))")
        }
        parts += ["realm=\(Self.quoted(challenge.realm))", "nonce=\(Self.quoted(nonce))", "uri=\(Self.quoted(uri))"]
        if let name = challenge.algorithmName { parts.append("algorithm=\(name)") }
        if let protection { parts.append("qop=\(protection), nc=\(number)") }
        if protection != nil || challenge.isSession { parts.append("cnonce=\"\(clientNonce)\"") }
        parts.append("response=\"\(response)\"")
        if let opaque = challenge.opaque { parts.append("opaque=\(Self.quoted(opaque))") }
        if challenge.hashesUser { parts.append("userhash=true") }
        return "Digest " + parts.joined(separator: ", ")
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
