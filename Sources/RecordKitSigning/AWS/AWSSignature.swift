public import Foundation
public import RecordKit
import RecordKitDigest

/// A signature of AWS Signature Version 4, for a service in a region.
struct AWSSignature {
    let credentials: AWSCredentials
    let region: String
    let service: String
    /// The time in the form `20260102T030405Z`.
    let time: String

    init(_ credentials: AWSCredentials, region: String, service: String, date: Date) {
        self.credentials = credentials
        self.region = region
        self.service = service
        time = date.ISO8601Format().replacing("-", with: "").replacing(":", with: "")
    }

    static let algorithm = "AWS4-HMAC-SHA256"
    static let unsignedPayload = "UNSIGNED-PAYLOAD"

    /// Whether the rules of S3 apply: the digest of the body is a field, and the path is used as it is.
    static func isS3(_ service: String) -> Bool {
        ["s3", "s3-object-lambda", "s3express", "s3-outposts"].contains(service)
    }

    /// The access key and its scope.
    var credential: String { "\(credentials.accessKeyID)/\(scope)" }

    private var scope: String { "\(time.prefix(8))/\(region)/\(service)/aws4_request" }

    /// Header fields that proxies and transports change.
    private static let unsigned: Set<String> = [
        "authorization", "connection", "expect", "keep-alive", "proxy-authenticate", "proxy-authorization", "te",
        "trailer", "transfer-encoding", "upgrade", "user-agent", "x-amzn-trace-id",
    ]

    /// Returns the header fields of a call to sign, by their names in lower case.
    static func signedFields(of call: NetworkCall) -> [String: String] {
        var fields = ["host": call.hostField]
        for field in call.headers {
            let name = field.name.lowercased()
            if name == "host" || unsigned.contains(name) || fields[name] != nil { continue }
            fields[name] = call.headers.values(for: name).map {
                $0.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
            }.joined(separator: ",")
        }
        return fields
    }

    /// Returns the signature in hexadecimal digits.
    ///
    /// - Parameters:
    ///   - call: The call, with all fields and query items except the signature.
    ///   - fields: The fields to sign, by their names in lower case.
    ///   - payload: The digest of the body in hexadecimal digits, or what stands in its place.
    func signature(of call: NetworkCall, _ fields: [String: String], payload: String) -> String {
        let target = call.url.target
        let names = fields.keys.sorted()
        let request = [
            call.method.rawValue, canonicalPath(target.path), Self.canonicalQuery(target.query ?? ""),
            names.map { "\($0):\(fields[$0] ?? "")\n" }.joined(), names.joined(separator: ";"), payload,
        ].joined(separator: "\n")
        let text = [
            Self.algorithm, time, scope, MessageDigest.of(Data(request.utf8), .sha256).hexadecimal,
        ].joined(separator: "\n")
        var key = Data("AWS4\(credentials.secretKey)".utf8)
        for part in [String(time.prefix(8)), region, service, "aws4_request"] {
            key = Data(KeyedDigest.of(Data(part.utf8), .sha256, key: key).bytes)
        }
        return KeyedDigest.of(Data(text.utf8), .sha256, key: key).hexadecimal
    }

    /// Every service but S3 resolves `.`, `..` and `//`, and encodes the path that is sent once more.
    private func canonicalPath(_ path: String) -> String {
        if Self.isS3(service) { return path.recoded(keeping: "/") }
        var segments: [Substring] = []
        for segment in path.split(separator: "/") where segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
        }
        let end = path.hasSuffix("/") && !segments.isEmpty ? "/" : ""
        let resolved = "/" + segments.joined(separator: "/") + end
        return resolved.percentEncoded.replacing("%2F", with: "/")
    }

    private static func canonicalQuery(_ query: String) -> String {
        let items = query.split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return (String(name).recoded(), String(item.dropFirst(name.count + 1)).recoded())
        }
        return items.sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }
}

extension AWSCredentials {
    /// Returns a URL that anyone can use for a request until it expires.
    ///
    /// ```swift
    /// let link = credentials.presignedURL(
    ///     for: url, region: "eu-central-1", expiresAfter: .seconds(900))
    /// ```
    ///
    /// The signature covers the method, the URL and its host. It doesn't cover a body: for a service other than S3,
    /// the request has none.
    ///
    /// - Parameters:
    ///   - url: The URL to sign, such as that of an object. Its query is kept.
    ///   - method: The method that the URL can be used with. Default: GET.
    ///   - service: The name of the service in signatures. Default: `s3`.
    ///   - region: The region of the service.
    ///   - expiry: The time that the URL can be used, from a second to 7 days. Other times are limited to these.
    ///   - date: The date from which on the URL can be used. Default: now.
    public func presignedURL(
        for url: URL, method: HTTPMethod = .get, service: String = "s3", region: String,
        expiresAfter expiry: Duration, from date: Date = Date()
    ) -> URL {
        let signature = AWSSignature(self, region: region, service: service, date: date)
        let seconds = min(max(expiry.components.seconds, 1), 604_800)
        var items = [
            ("X-Amz-Algorithm", AWSSignature.algorithm), ("X-Amz-Credential", signature.credential),
            ("X-Amz-Date", signature.time), ("X-Amz-Expires", String(seconds)), ("X-Amz-SignedHeaders", "host"),
        ]
        if let sessionToken { items.append(("X-Amz-Security-Token", sessionToken)) }
        let added = items.map { "\($0.0)=\($0.1.percentEncoded)" }.joined(separator: "&")
        let text = String(url.absoluteString.prefix { $0 != "#" })
        let start = text + (text.contains("?") ? text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&" : "?") + added
        guard let unsigned = URL(string: start) else { return url }
        let payload = AWSSignature.isS3(service) ? AWSSignature.unsignedPayload : MessageDigest(.sha256).hexadecimal
        let call = NetworkCall(url: unsigned, method: method)
        let code = signature.signature(of: call, AWSSignature.signedFields(of: call), payload: payload)
        return URL(string: "\(start)&X-Amz-Signature=\(code)") ?? url
    }
}
