import Foundation
import RecordKit
import RecordKitDigest

/// A hash function of digest authentication.
enum DigestAlgorithm: String {
    case md5, sha256 = "sha-256", sha512_256 = "sha-512-256"

    /// Returns the digest of bytes in hexadecimal digits.
    func hash(_ data: Data) -> String {
        var digest = RunningDigest(self)
        digest.update(data)
        return digest.hexadecimal
    }

    /// Returns the digest of a string in UTF-8 in hexadecimal digits.
    func hash(_ string: String) -> String { hash(Data(string.utf8)) }
}

/// A digest over bytes that arrive in chunks.
enum RunningDigest {
    case md5(InsecureMD5)
    case sha(MessageDigest)

    init(_ algorithm: DigestAlgorithm) {
        switch algorithm {
        case .md5: self = .md5(InsecureMD5())
        case .sha256: self = .sha(MessageDigest(.sha256))
        case .sha512_256: self = .sha(MessageDigest(.sha512_256))
        }
    }

    mutating func update(_ data: Data) {
        switch self {
        case .md5(var digest):
            digest.update(data)
            self = .md5(digest)
        case .sha(var digest):
            digest.update(data)
            self = .sha(digest)
        }
    }

    var hexadecimal: String {
        switch self {
        case .md5(let digest): digest.bytes.hexadecimal
        case .sha(let digest): digest.hexadecimal
        }
    }
}

/// A challenge of digest authentication (RFC 7616 section 3.3).
struct DigestChallenge {
    /// The quality of protection (section 3.3), or `nil` if the server offers none, as by RFC 2069.
    enum Protection: String {
        case auth, authInt = "auth-int"
    }

    let realm: String
    /// Whether the server wrote the challenge in ISO 8859-1. Then it expects the realm so, too.
    let isLatin1: Bool
    let nonce: String
    let opaque: String?
    let algorithm: DigestAlgorithm
    /// The algorithm as the server wrote it, or `nil` if it named none.
    let algorithmName: String?
    /// Whether the digest of the password includes the first nonce: `-sess`.
    let isSession: Bool
    let protection: Protection?
    let hashesUser: Bool
    /// Whether the server names UTF-8, so that it supports `username*` (section 3.4).
    let takesExtendedUser: Bool
    let isStale: Bool
    /// The URLs of the protection space. Empty for all URLs of the origin.
    let domain: [String]

    /// The first challenge of a response that the client supports, as the server prefers (section 3.7).
    ///
    /// - Parameters:
    ///   - response: A response with the status 401.
    ///   - allowsMD5: Whether MD5 is allowed.
    static func first(in response: NetworkResponse, allowsMD5: Bool) -> DigestChallenge? {
        response.headers.lazy.filter { $0.name.lowercased() == "www-authenticate" }.flatMap { field in
            AuthenticationChallenge.parse([field.value]).compactMap { DigestChallenge($0, isLatin1: field.isLatin1) }
        }.first { allowsMD5 || $0.algorithm != .md5 }
    }

    /// The digest of user and realm, and of the password if there is one (sections 3.4.2 and 3.4.4). The realm is
    /// hashed as it came.
    func hash(user: String, password: String? = nil) -> String {
        let realm = isLatin1 ? Data(realm.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) : Data(realm.utf8)
        return algorithm.hash(Data("\(user):".utf8) + realm + Data((password.map { ":\($0)" } ?? "").utf8))
    }

    private init?(_ challenge: AuthenticationChallenge, isLatin1: Bool) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"] else {
            return nil
        }
        opaque = parameters["opaque"]
        // These are sent back.
        let echoed = [realm, nonce, opaque ?? ""]
        guard echoed.allSatisfy({ HTTPHeaders.isValid(value: $0) }),
            echoed.reduce(0, { $0 + $1.utf8.count }) <= 8192
        else { return nil }
        (self.realm, self.nonce, self.isLatin1) = (realm, nonce, isLatin1)
        algorithmName = parameters["algorithm"]
        var name = algorithmName?.lowercased() ?? "md5"
        isSession = name.hasSuffix("-sess")
        if isSession { name.removeLast("-sess".count) }
        guard let algorithm = DigestAlgorithm(rawValue: name) else { return nil }
        self.algorithm = algorithm
        // An unknown one is ignored (section 3.3). Without a known one, the rules of RFC 2069 apply.
        let offered = (parameters["qop"] ?? "").lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        protection = offered.contains("auth") ? .auth : offered.contains("auth-int") ? .authInt : nil
        hashesUser = parameters["userhash"]?.lowercased() == "true"
        takesExtendedUser = parameters["charset"]?.lowercased() == "utf-8"
        isStale = parameters["stale"]?.lowercased() == "true"
        domain = parameters["domain"]?.split(separator: " ").prefix(64).map(String.init) ?? []
    }
}
