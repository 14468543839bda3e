#if os(Linux)
import RecordKit
import RecordKitCurl
import TestSupport
import XCTest

final class SecureConnectionTests: TimedTestCase {
    private typealias TLS = CurlTransport.TLS

    private func outcome(
        _ kind: Certificates.Kind, options: [String] = [], _ change: (inout TLS) throws -> Void = { _ in }
    ) async throws -> String {
        let certificates = try Certificates.shared.get()
        let server = try TLSServer(kind, of: certificates, options: options)
        var tls = TLS()
        tls.authorities = certificates.authority
        try change(&tls)
        let url = try URL(of: "https://localhost:\(server.port)")
        return await NetworkConfiguration(url) { $0.tls = tls }.outcome()
    }

    func testTheReasonOfMistrust() async throws {
        let cases: [(Certificates.Kind, String)] = [
            (.good, "200 "), (.expired, "tls(expired) unsent"), (.future, "tls(expired) unsent"),
            (.otherHost, "tls(wrongHost) unsent"), (.selfSigned, "tls(untrusted) unsent"),
        ]
        for (kind, expected) in cases {
            let text = try await outcome(kind)
            XCTAssertTrue(text.hasPrefix(expected), "\(kind): \(text)")
        }
        assertEqual(try await outcome(.good) { $0.authorities = nil }, "tls(untrusted) unsent")
    }

    func testPins() async throws {
        let pin = try Certificates.shared.get().pin
        let other = Data(count: 32).base64EncodedString()
        let right = try await outcome(.good) { $0.pins = [other, pin] }
        XCTAssertTrue(right.hasPrefix("200 "), right)
        assertEqual(try await outcome(.good) { $0.pins = [other] }, "tls(pinMismatch) unsent")
        // A pin doesn't replace the other checks.
        let untrusted = try await outcome(.good) { tls in
            tls.pins = [pin]
            tls.authorities = nil
        }
        XCTAssertEqual(untrusted, "tls(untrusted) unsent")
    }

    func testAClientCertificate() async throws {
        let certificates = try Certificates.shared.get()
        let asks = ["-Verify", "1", "-verify_return_error", "-CAfile", certificates.authority.path]
        for version in [[], ["-tls1_2"]] {
            let with = try await outcome(.good, options: asks + version) {
                $0.clientCertificate = .init(
                    certificate: certificates.certificate(.otherHost), key: certificates.key(.otherHost))
            }
            XCTAssertTrue(with.hasPrefix("200 "), "\(version): \(with)")
        }
        assertEqual(try await outcome(.good, options: asks), "tls(clientCertificate) unsent")
        let missing = try await outcome(.good, options: asks) {
            $0.clientCertificate = .init(certificate: URL(filePath: "/none.pem"), key: URL(filePath: "/none.key"))
        }
        XCTAssertTrue(missing.hasPrefix("invalid transport: the client certificate cannot be used"), missing)
    }

    func testTheMinimumVersion() async throws {
        assertEqual(try await outcome(.good, options: ["-tls1_2"]) { $0.minimumVersion = .tls13 }, "tls(other) unsent")
        let new = try await outcome(.good, options: ["-tls1_3"]) { $0.minimumVersion = .tls13 }
        XCTAssertTrue(new.hasPrefix("200 "), new)
    }

    /// The server of these tests returns a page for any target, so it can be a proxy for http.
    func testTheRulesApplyToAProxyOverHTTPS() async throws {
        let certificates = try Certificates.shared.get()
        func outcome(
            _ kind: Certificates.Kind = .good, options: [String] = [], url: String = "http://store.example",
            _ change: (inout TLS) -> Void = { _ in }
        ) async throws -> String {
            let proxy = try TLSServer(kind, of: certificates, options: options)
            let address = "localhost:\(proxy.port)"
            var tls = TLS()
            tls.authorities = certificates.authority
            change(&tls)
            let session = NetworkSession(
                NetworkConfiguration(try URL(of: url)) {
                    $0.proxy = .server("https://\(address)")
                    $0.tls = tls
                })
            do throws(NetworkError) {
                return try await "\(session.value(for: Fetch()).statusCode)"
            } catch {
                guard case .connection(let failure) = error, case .tls(let reason) = failure.kind else {
                    return "\(error)"
                }
                return "\(reason) of \(failure.host == address ? "the proxy" : failure.host)"
            }
        }
        assertEqual(try await outcome(), "200")
        for url in ["http://store.example", "https://store.example"] {
            assertEqual(try await outcome(url: url) { $0.authorities = nil }, "untrusted of the proxy")
            for (kind, reason) in [(Certificates.Kind.expired, "expired"), (.otherHost, "wrongHost")] {
                assertEqual(try await outcome(kind, url: url), "\(reason) of the proxy")
            }
        }
        let old = try await outcome(options: ["-tls1_2"]) { $0.minimumVersion = .tls13 }
        XCTAssertTrue(old.hasPrefix("other"), old)
    }

    /// The issuer of the second certificate has the name of one of the system's authorities. Looking it up in the
    /// system's folder would find that one, whose key did not sign the certificate, and the reason of mistrust would be
    /// another.
    func testTheSystemsFolderIsNotUsedBesideTheAuthorities() async throws {
        let system = "/etc/ssl/certs/ISRG_Root_X1.pem"
        try XCTSkipUnless(FileManager.default.fileExists(atPath: system), "the system has no such authority")
        let unknown = try await mistrust(ofIssuer: "'/CN=Unknown'")
        let namesake = try await mistrust(
            ofIssuer: "\"$(openssl x509 -in \(system) -noout -subject -nameopt compat | sed 's/^subject=//')\"")
        XCTAssertFalse(unknown.isEmpty)
        XCTAssertEqual(namesake, unknown)
    }

    /// Returns why libcurl does not trust a certificate whose issuer has the given name, which the shell reads.
    private func mistrust(ofIssuer name: String) async throws -> String {
        let folder = try TemporaryFolder()
        try Certificates.run(
            """
            openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj \(name)
            openssl req -newkey rsa:2048 -nodes -keyout good.key -out good.csr -subj /CN=localhost
            printf 'subjectAltName=DNS:localhost\nauthorityKeyIdentifier=none\n' > good.ext
            openssl x509 -req -in good.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile good.ext \
                -out good.pem
            """, in: folder.url)
        let other = try Certificates.shared.get().authority
        // With a store for its chain, openssl does not complete the chain from the system's.
        let server = try TLSServer(.good, of: Certificates(in: folder.url), options: ["-chainCAfile", other.path])
        let network = NetworkConfiguration(try URL(of: "https://localhost:\(server.port)")) {
            $0.tls.authorities = other
        }
        let result = await NetworkSession(network).result(for: Fetch())
        guard case .failure(.connection(let failure)) = result else { return "\(result)" }
        return "\(failure.kind): \(failure.cause as? CurlTransport.Failure, default: "no cause")"
    }

    func testAFileThatIsNoPEMIsReported() async throws {
        let text = try await outcome(.good) { $0.authorities = URL(filePath: "/etc/hostname") }
        XCTAssertTrue(text.hasPrefix("invalid transport: the file with the trusted authorities"), text)
    }

    func testThePasswordOfAKeyIsNotPrinted() {
        let certificate = CurlTransport.ClientCertificate(
            certificate: URL(filePath: "/a.pem"), key: URL(filePath: "/a.key"), password: "s3cret")
        var dumped = ""
        dump(certificate, to: &dumped)
        XCTAssertFalse("\(certificate) \(String(reflecting: certificate)) \(dumped)".contains("s3cret"), dumped)
    }

    /// libcurl reads the system's trusted authorities once, and keeps them.
    func testALaterConnectionDoesNotReadTheAuthoritiesAgain() async throws {
        try CurlTransport.skipUnless("7.87.0")
        if !FileManager.default.fileExists(atPath: "/etc/ssl/certs/ca-certificates.crt") { throw XCTSkip("no bundle") }
        let server = try ScriptServer { _ in }
        let front = try TLSFront(server, Certificates.shared.get())
        let network = NetworkSession(NetworkConfiguration(try front.url))
        var times: [Int] = []
        for _ in 0..<6 {
            let before = clock()
            assertEqual(await network.outcome(), "tls(untrusted) unsent")
            times.append(clock() - before)
        }
        XCTAssertLessThan(try XCTUnwrap(times.dropFirst().min()) * 2, times[0], "\(times)")
    }
}
#endif
