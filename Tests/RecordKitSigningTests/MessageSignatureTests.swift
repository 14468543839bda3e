import RecordKit
import RecordKitDigest
import RecordKitInterceptors
import RecordKitSigning
import RecordKitTesting
import TestSupport
import XCTest

final class MessageSignatureTests: TimedTestCase {
    private let key =
        Data(base64Encoded: "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==")
        ?? Data()

    private func call(
        _ text: String = "https://example.com/foo?param=Value&Pet=dog", headers: HTTPHeaders = [:], body: String? = nil
    ) -> NetworkCall {
        let clock = ManualClock(date: Date(timeIntervalSince1970: 1_618_884_473))
        return NetworkCall(
            url: URL(string: text) ?? URL(filePath: "/"), method: .post, headers: headers,
            body: body.map { EncodedBody(Data($0.utf8), contentType: "application/json") }, clock: clock.networkClock)
    }

    private func signed(
        _ signature: MessageSignature, _ call: NetworkCall
    ) async throws(NetworkError) -> HTTPHeaders {
        let transport = CannedTransport()
        let interceptor = MessageSignatureInterceptor(signature, for: .origin(call.url.absoluteString))
        _ = try await interceptor.intercept(call) { (call) async throws(NetworkError) in
            try await transport.exchange(call)
        }
        return transport.calls.first?.headers ?? [:]
    }

    /// RFC 9421 appendix B.2.5.
    func testTheExampleOfTheStandard() async throws {
        let signature = MessageSignature(
            key: key, keyID: "test-shared-secret", covering: ["Date", .authority, "Content-Type"], label: "sig-b25")
        let headers = try await signed(
            signature, call(headers: ["Date": "Tue, 20 Apr 2021 02:07:55 GMT"], body: #"{"hello": "world"}"#))
        XCTAssertEqual(
            headers["Signature-Input"],
            #"sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#)
        XCTAssertEqual(headers["Signature"], "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:")
        XCTAssertTrue(headers.isSensitive("Signature"))
        XCTAssertFalse("\(signature)\(headers)".contains("pxcQ"))
    }

    func testTheSignatureBase() async throws {
        let signature = MessageSignature(
            key: key, keyID: "k\"7",
            covering: [
                .method, .targetURI, .authority, .scheme, .requestTarget, .path, .query, .query("a b"), .query("*~"),
                "X-Two",
            ], lifetime: .seconds(60), tag: "till", namesAlgorithm: true)
        var headers: HTTPHeaders = ["X-Two": " one "]
        headers.add("x-two", "two")
        let sent = try await signed(
            signature, call("https://Example.com:8443/p%20q?a+b=c%2Bd+e&*~=*~&x", headers: headers))
        let input = try XCTUnwrap(sent["Signature-Input"])
        let parameters = input.dropFirst("sig=".count)
        XCTAssertEqual(
            String(parameters),
            #"("@method" "@target-uri" "@authority" "@scheme" "@request-target" "@path" "@query" "#
                + #""@query-param";name="a%20b" "@query-param";name="*%7E" "x-two");"#
                + #"created=1618884473;expires=1618884533;"#
                + #"alg="hmac-sha256";keyid="k\"7";tag="till""#)
        let base = """
            "@method": POST
            "@target-uri": https://example.com:8443/p%20q?a+b=c%2Bd+e&*~=*~&x
            "@authority": example.com:8443
            "@scheme": https
            "@request-target": /p%20q?a+b=c%2Bd+e&*~=*~&x
            "@path": /p%20q
            "@query": ?a+b=c%2Bd+e&*~=*~&x
            "@query-param";name="a%20b": c%2Bd%20e
            "@query-param";name="*%7E": *%7E
            "x-two": one, two
            "@signature-params": \(parameters)
            """
        XCTAssertEqual(sent["Signature"], "sig=:\(KeyedDigest.of(Data(base.utf8), .sha256, key: key).base64):")
    }

    func testWhatIsMissingEndsTheCall() async throws {
        let cases: [(MessageSignature, String?)] = [
            (MessageSignature(key: key, keyID: "k"), nil),
            (MessageSignature(key: key, keyID: "k", covering: ["x-date"]), "no field x-date"),
            (MessageSignature(key: key, keyID: "k", covering: [.query("none")]), "0 items"),
            (MessageSignature(key: key, keyID: "k", covering: [.method, .method]), "twice"),
            (MessageSignature(key: key, keyID: "é"), "ASCII"),
            (MessageSignature(key: key, keyID: "k", label: "A b"), "label"),
            (MessageSignature(key: key, keyID: "k", label: "a=1, b"), "label"),
        ]
        for (signature, reason) in cases {
            let error = await networkError { try await signed(signature, call()) }
            XCTAssertEqual(error == nil, reason == nil)
            if let reason { XCTAssertTrue("\(try XCTUnwrap(error))".contains(reason), reason) }
        }
        let error = await networkError { try await signed(MessageSignature(key: key, keyID: "k"), call(body: "{}")) }
        XCTAssertTrue("\(try XCTUnwrap(error))".contains("content-digest"))
    }

    func testDigestsAreMadeAndChecked() async throws {
        let body = Data("one copy".utf8)
        let right = ContentDigest.field(of: MessageDigest.of(body, .sha256))
        let wrong = ContentDigest.field(of: MessageDigest.of(Data(), .sha512))
        let cases: [(headers: HTTPHeaders, isRight: Bool)] = [
            ([:], true), (["Content-Digest": right], true), (["Content-Digest": wrong], false),
            (["Content-Digest": "\(right), \(wrong)"], false), (["Content-Digest": "sha=:AAAA:, \(right)"], true),
            (["Content-Digest": "md5=:AAAA:"], true), (["Content-Digest": "sha-256=:AAAA:"], false),
            // What isn't valid isn't read at all.
            (["Content-Digest": "\(wrong),"], true), (["Content-Digest": "sha-256=AAAA"], true),
            (["Content-Digest": wrong, "Content-Encoding": "gzip"], true),
        ]
        for (headers, isRight) in cases {
            let transport = CannedTransport(.answer(200, headers, body: "one copy"))
            let configuration = NetworkConfiguration(
                transport, [ContentDigestInterceptor(.sha512)], clock: ManualClock())
            let outcome = await NetworkSession(configuration).outcome(of: Ask(method: .post, content: "one copy"))
            XCTAssertEqual((try? outcome.get()) != nil, isRight, "\(headers)")
            if case .failure(let error) = outcome {
                guard case .badResponse(let response) = error else { return XCTFail("\(error)") }
                XCTAssertTrue(response.cause is ContentDigest.MismatchError)
            }
            XCTAssertEqual(
                transport.calls.first?.headers["Content-Digest"],
                ContentDigest.field(of: MessageDigest.of(body, .sha512)))
        }
    }
}
