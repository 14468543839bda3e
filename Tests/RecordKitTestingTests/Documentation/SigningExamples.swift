import Foundation
import RecordKit
import RecordKitDigest
import RecordKitInterceptors
import RecordKitSigning

// The snippets of the articles of RecordKitSigning.

enum SigningExamples {
    static func network(user: String, password: String) -> NetworkSession {
        let network = NetworkSession(
            NetworkConfiguration(
                environment: .production,
                interceptors: [
                    RetryInterceptor(),
                    DigestInterceptor(
                        user: user, password: password, for: "https://store.example"),
                    LoggingInterceptor(),
                ]))

        return network
    }

    static func signed(_ key: Data) -> NetworkConfiguration {
        var configuration = NetworkConfiguration(environment: .production)
        configuration.interceptors = [
            RetryInterceptor(), Signature(key: key, scope: "https://store.example"),
            LoggingInterceptor(),
        ]

        return configuration
    }

    static func snapshot(user: String, password: String) async throws -> Data {
        let camera = NetworkConfiguration(
            environment: NetworkEnvironment("http://192.168.1.20"),
            interceptors: [
                RetryInterceptor(),
                DigestInterceptor(
                    user: user, password: password, for: "http://192.168.1.20"),
                LoggingInterceptor(),
            ])
        let snapshot = try await NetworkSession(camera).value(
            for: Camera.snapshot)

        return snapshot
    }

    static func discogs(key: String, secret: String) async throws -> NetworkConfiguration {
        var configuration = NetworkConfiguration(environment: .production)
        let client = OAuth1Client(key: key, secret: secret)
        let signIn = OAuth1SignIn(
            client,
            requestTokenURL: URL(
                string: "https://api.discogs.com/oauth/request_token")!,
            authorizationURL: URL(
                string: "https://www.discogs.com/oauth/authorize")!,
            accessTokenURL: URL(
                string: "https://api.discogs.com/oauth/access_token")!)

        let pending = try await signIn.start()
        print("Open \(pending.url), and type the code that it shows:")
        let token = try await pending.token(verifier: readLine() ?? "")

        configuration.interceptors = [
            RetryInterceptor(),
            OAuth1Interceptor(client, token, for: "https://api.discogs.com"),
            LoggingInterceptor(),
        ]

        return configuration
    }

    static func discogs(key: String, secret: String, storedToken: String, storedSecret: String) -> NetworkSession {
        let token = OAuth1Token(storedToken, secret: storedSecret)
        let network = NetworkSession(
            environment: "https://api.discogs.com",
            interceptors: [
                RetryInterceptor(),
                OAuth1Interceptor(
                    OAuth1Client(key: key, secret: secret), token,
                    for: "https://api.discogs.com"),
            ])

        return network
    }

    static func dav() -> NetworkSession {
        let variables = ProcessInfo.processInfo.environment
        let network = NetworkSession(
            environment: "https://dav.store.example",
            interceptors: [
                DigestInterceptor(
                    user: variables["DAV_USER"] ?? "",
                    password: variables["DAV_PASSWORD"] ?? "", allowsMD5: false,
                    for: "https://dav.store.example")
            ])

        return network
    }

    static func cover(keyID: String, secretKey: String) async throws -> Data {
        let credentials = AWSCredentials(accessKeyID: keyID, secretKey: secretKey)
        let bucket = "https://records.s3.eu-central-1.amazonaws.com"
        let storage = NetworkConfiguration(
            environment: NetworkEnvironment(bucket),
            interceptors: [
                RetryInterceptor(),
                AWSInterceptor(
                    credentials, service: "s3", region: "eu-central-1",
                    for: .origin(bucket)),
                LoggingInterceptor(),
            ])
        let cover = try await NetworkSession(storage).value(
            for: Covers.fetch(sku: "LP-0042"))

        return cover
    }

    static func gateway(_ role: Role) -> AWSInterceptor {
        AWSInterceptor(
            service: "execute-api", region: "eu-central-1",
            for: "https://api.store.example",
            credentials: { try await role.current() })
    }

    static func link(to cover: URL, _ credentials: AWSCredentials) -> URL {
        let link = credentials.presignedURL(
            for: cover, region: "eu-central-1", expiresAfter: .seconds(900))

        return link
    }

    static func till(_ key: Data) -> NetworkConfiguration {
        var configuration = NetworkConfiguration(environment: .production)
        let signature = MessageSignature(
            key: key, keyID: "till-7",
            covering: [.method, .targetURI, "content-digest"],
            lifetime: .seconds(300), hasNonce: true)
        configuration.interceptors = [
            RetryInterceptor(),
            ContentDigestInterceptor(),
            MessageSignatureInterceptor(signature, for: "https://store.example"),
            LoggingInterceptor(),
        ]

        return configuration
    }

    static func signature(storedKey: String) throws -> MessageSignature {
        enum KeyError: Error { case notBase64 }
        guard let key = Data(base64Encoded: storedKey), key.count >= 32 else {
            throw KeyError.notBase64
        }
        let signature = MessageSignature(key: key, keyID: "till-7")

        return signature
    }

    static func digests() -> NetworkConfiguration {
        var configuration = NetworkConfiguration(environment: .production)
        configuration.interceptors = [
            RetryInterceptor(), ContentDigestInterceptor(.sha512),
        ]

        return configuration
    }
}

struct Signature: NetworkInterceptor {
    let key: Data
    let scope: CredentialScope
    let role = NetworkInterceptorRole.signs

    func intercept(
        _ call: NetworkCall, next: NetworkCall.Next
    ) async throws(NetworkError) -> NetworkResponse {
        guard scope.contains(call.origin) else { return try await next(call) }
        var call = call
        let time = "\(HTTPDate(call.clock.date()))"
        let head = "\(call.method) \(call.url.absoluteString)\n\(time)\n"
        var code = HMAC.of(Data(head.utf8), .sha256, key: key)
        if let body = call.body { code.update(try await body.data()) }
        call.headers["Date"] = time
        call.headers["X-Signature"] = code.hexadecimal
        call.headers.markSensitive(["X-Signature"])
        call.options.redirects = .never
        return try await next(call)
    }
}

func isGenuine(_ body: Data, signature: String, key: Data) -> Bool {
    guard let code = Data(base64Encoded: signature) else { return false }
    return HMAC.of(body, .sha256, key: key).matches(code)
}

enum Camera: NetworkRequest {
    typealias ValueType = Data

    case snapshot

    var path: RequestPath { "snapshot.jpg" }
}

enum Covers: NetworkRequest {
    typealias ValueType = Data

    case fetch(sku: String)

    var path: RequestPath {
        switch self {
        case .fetch(let sku): "covers/\(sku).jpg"
        }
    }
}

struct GetObject: NetworkRequest {
    typealias ValueType = Data

    let key: String

    var path: RequestPath {
        RequestPath(segments: key.split(separator: "/").map(String.init))
    }
}

enum OddCover: NetworkRequest {
    typealias ValueType = Data

    case fetch

    var path: RequestPath { RequestPath(percentEncoded: "covers//LP-0042.jpg") }
}

/// A role whose credentials expire.
struct Role: Sendable {
    var current: @Sendable () async throws -> AWSCredentials
}
