import RecordKit
import RecordKitDigest
import RecordKitInterceptors
import RecordKitSigning
import RecordKitTesting
import TestSupport
import XCTest

/// Compares signatures with those of botocore. `Scripts/botocore` makes new ones, and runs this test on them.
final class AWSVectorTests: TimedTestCase {
    private struct Vectors: Decodable {
        let seed: Int
        let vectors: [Vector]
    }

    private struct Vector: Decodable {
        let method, url, service, region, key, secret: String
        let headers: [String: String]
        let body: Data
        let token: String?
        let time, expiry: Int
        let isLink, isUnsigned: Bool
        let signed: String
    }

    private func vectors() throws -> Vectors {
        let url =
            try ProcessInfo.processInfo.environment["RECORDKIT_AWS_VECTORS"].map { URL(filePath: $0) }
            ?? XCTUnwrap(Bundle.module.url(forResource: "aws", withExtension: "json", subdirectory: "Vectors"))
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: url))
    }

    func testTheSignaturesAreThoseOfBotocore() async throws {
        let vectors = try vectors()
        XCTAssertGreaterThanOrEqual(vectors.vectors.count, 60)
        for (index, vector) in vectors.vectors.enumerated() {
            let place = "vector \(index) of seed \(vectors.seed): \(vector.url)"
            let url = try XCTUnwrap(URL(string: vector.url), place)
            let credentials = AWSCredentials(
                accessKeyID: vector.key, secretKey: vector.secret, sessionToken: vector.token)
            if vector.isLink {
                let link = credentials.presignedURL(
                    for: url, method: HTTPMethod(rawValue: vector.method), service: vector.service,
                    region: vector.region, expiresAfter: .seconds(vector.expiry),
                    from: Date(timeIntervalSince1970: Double(vector.time)))
                XCTAssertEqual(items(of: link), items(of: try XCTUnwrap(URL(string: vector.signed))), place)
                continue
            }
            let clock = ManualClock(date: Date(timeIntervalSince1970: Double(vector.time)))
            let call = NetworkCall(
                url: url, method: HTTPMethod(rawValue: vector.method), headers: HTTPHeaders(vector.headers),
                body: vector.body.isEmpty ? nil : EncodedBody(vector.body), clock: clock.networkClock)
            let interceptor = AWSInterceptor(
                credentials, service: vector.service, region: vector.region, signsBody: !vector.isUnsigned,
                for: .origin(vector.url))
            let transport = CannedTransport()
            _ = try await interceptor.intercept(call) { (call) async throws(NetworkError) in
                try await transport.exchange(call)
            }
            let sent = try XCTUnwrap(transport.calls.first)
            XCTAssertEqual(sent.headers["Authorization"], vector.signed, place)
            XCTAssertEqual(sent.headers["X-Amz-Security-Token"], vector.token, place)
        }
    }

    private func items(of url: URL) -> Set<String> {
        Set((url.query(percentEncoded: true) ?? "").split(separator: "&").map(String.init))
    }

    func testWhatIsSentToS3() async throws {
        let credentials = AWSCredentials(accessKeyID: "AKID", secretKey: "s3cret", sessionToken: "t0ken")
        let transport = CannedTransport()
        let clock = ManualClock(date: Date(timeIntervalSince1970: 1_440_938_160))
        let interceptor = AWSInterceptor(
            service: "s3", region: "us-east-1", for: "https://store.example", credentials: { credentials })
        let network = NetworkSession(NetworkConfiguration(transport, [interceptor], clock: clock))
        _ = try await network.value(for: Ask<Data>(method: .put, headers: ["Date": "x"], content: "one copy"))
        let call = try XCTUnwrap(transport.calls.first)
        XCTAssertEqual(call.headers["X-Amz-Date"], "20150830T123600Z")
        XCTAssertNil(call.headers["Date"])
        XCTAssertEqual(
            call.headers["X-Amz-Content-Sha256"], MessageDigest.of(Data("one copy".utf8), .sha256).hexadecimal)
        XCTAssertEqual(call.headers["Content-Type"], call.body?.contentType)
        for secret in ["s3cret", "t0ken", "Signature="] {
            XCTAssertFalse("\(call)\(call.headers)\(credentials)\(interceptor)".contains(secret), secret)
        }
        var dumped = ""
        dump(credentials, to: &dumped)
        XCTAssertFalse(dumped.contains("s3cret"))
        let link = credentials.presignedURL(
            for: call.url, region: "us-east-1", expiresAfter: .seconds(1e9), from: clock.networkClock.date())
        XCTAssertTrue(link.absoluteString.contains("X-Amz-Expires=604800"))
        XCTAssertFalse(link.redacted().contains("t0ken"))
        XCTAssertTrue(link.redacted().contains("X-Amz-Signature=redacted"))
    }

    /// A key with an empty segment. The signature is that of botocore.
    func testAKeyOfS3IsSentAsItIs() async throws {
        let transport = CannedTransport()
        let interceptor = AWSInterceptor(
            AWSCredentials(accessKeyID: "AKID", secretKey: "s3cret"), service: "s3", region: "us-east-1",
            for: "https://store.example")
        var configuration = NetworkConfiguration(
            transport, [interceptor], clock: ManualClock(date: Date(timeIntervalSince1970: 1_440_938_160)))
        configuration.headers = ["Accept": "*/*", "Accept-Language": "en"]
        _ = await NetworkSession(configuration).status(of: Ask(path: RequestPath(percentEncoded: "a//b%20c")))
        let call = try XCTUnwrap(transport.calls.first)
        XCTAssertEqual(call.url.absoluteString, "https://store.example/a//b%20c")
        XCTAssertEqual(
            call.headers["Authorization"]?.suffix(64),
            "323d3dad5d008a6bac5ac2f0310885b392bf8788d99a9b294eaee0ac639689d0")
    }

    /// Over http, the signature always covers the body.
    func testABodyIsUnsignedOverHTTPSAlone() async throws {
        for (scheme, service, isUnsigned) in [
            ("https", "s3", true), ("http", "s3", false), ("https", "s3express", true), ("https", "s3tables", false),
        ] {
            let transport = CannedTransport()
            let interceptor = AWSInterceptor(
                AWSCredentials(accessKeyID: "a", secretKey: "s"), service: service, region: "r", signsBody: false,
                for: .origin("\(scheme)://store.example"))
            var configuration = NetworkConfiguration(transport, [interceptor], clock: ManualClock())
            configuration.environment = NetworkEnvironment("\(scheme)://store.example")
            _ = await NetworkSession(configuration).status(of: Ask(method: .put, content: "one copy"))
            let payload = try XCTUnwrap(transport.calls.first).headers["X-Amz-Content-Sha256"]
            let digest = MessageDigest.of(Data("one copy".utf8), .sha256).hexadecimal
            XCTAssertEqual(payload, service == "s3tables" ? nil : isUnsigned ? "UNSIGNED-PAYLOAD" : digest, service)
        }
    }

    func testCredentialsThatCannotBeLoadedEndTheCall() async throws {
        let transport = CannedTransport()
        let interceptor = AWSInterceptor(service: "s3", region: "eu-central-1", for: "https://store.example") {
            throw URLError(.userAuthenticationRequired)
        }
        let network = NetworkSession(NetworkConfiguration(transport, [interceptor], clock: ManualClock()))
        let error = await network.failure(of: Ask<Data>())
        guard case .interceptor(let failure)? = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertTrue(failure.cause is URLError)
        XCTAssertEqual(transport.calls.count, 0)
    }
}
