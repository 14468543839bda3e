#if os(Linux)
import Foundation
import RecordKit
import RecordKitCurl
import TestSupport
import XCTest

final class SecureConnectionTests: TimedTestCase {
    private typealias TLS = CurlTransport.TLS

    private static let certificates = Result {
        try Certificates.make(in: FileManager.default.temporaryDirectory.appending(path: "RecordKit-\(UUID())"))
    }

    override static func tearDown() {
        if let folder = try? certificates.get().folder { try? FileManager.default.removeItem(at: folder) }
    }

    private func outcome(
        _ kind: Certificates.Kind, options: [String] = [], _ change: (inout TLS) throws -> Void = { _ in }
    ) async throws -> String {
        let certificates = try Self.certificates.get()
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
        let system = try await outcome(.good) { $0.authorities = nil }
        XCTAssertEqual(system, "tls(untrusted) unsent")
    }

    func testPins() async throws {
        let pin = try Self.certificates.get().pin
        let other = Data(count: 32).base64EncodedString()
        let right = try await outcome(.good) { $0.pins = [other, pin] }
        XCTAssertTrue(right.hasPrefix("200 "), right)
        let wrong = try await outcome(.good) { $0.pins = [other] }
        XCTAssertEqual(wrong, "tls(pinMismatch) unsent")
        // A pin doesn't replace the other checks.
        let untrusted = try await outcome(.good) { tls in
            tls.pins = [pin]
            tls.authorities = nil
        }
        XCTAssertEqual(untrusted, "tls(untrusted) unsent")
    }

    func testAClientCertificate() async throws {
        let certificates = try Self.certificates.get()
        let asks = ["-Verify", "1", "-verify_return_error", "-CAfile", certificates.authority.path]
        for version in [[], ["-tls1_2"]] {
            let with = try await outcome(.good, options: asks + version) {
                $0.clientCertificate = .init(
                    certificate: certificates.certificate(.otherHost), key: certificates.key(.otherHost))
            }
            XCTAssertTrue(with.hasPrefix("200 "), "\(version): \(with)")
        }
        let without = try await outcome(.good, options: asks)
        XCTAssertEqual(without, "tls(clientCertificate) unsent")
        let missing = try await outcome(.good, options: asks) {
            $0.clientCertificate = .init(certificate: URL(filePath: "/none.pem"), key: URL(filePath: "/none.key"))
        }
        XCTAssertTrue(missing.hasPrefix("invalid transport: the client certificate cannot be used"), missing)
    }

    func testTheMinimumVersion() async throws {
        let old = try await outcome(.good, options: ["-tls1_2"]) { $0.minimumVersion = .tls13 }
        XCTAssertEqual(old, "tls(other) unsent")
        let new = try await outcome(.good, options: ["-tls1_3"]) { $0.minimumVersion = .tls13 }
        XCTAssertTrue(new.hasPrefix("200 "), new)
    }

    /// The server of these tests returns a page for any target, so it can be a proxy for http.
    func testTheRulesApplyToAProxyOverHTTPS() async throws {
        let certificates = try Self.certificates.get()
        func outcome(_ options: [String] = [], _ change: (inout TLS) -> Void = { _ in }) async throws -> String {
            let proxy = try TLSServer(.good, of: certificates, options: options)
            let url = try URL(of: "https://localhost:\(proxy.port)")
            var tls = TLS()
            tls.authorities = certificates.authority
            change(&tls)
            return await NetworkConfiguration(try URL(of: "http://store.example")) {
                $0.proxy = .server(.init(url))
                $0.tls = tls
            }.outcome()
        }
        let right = try await outcome()
        XCTAssertTrue(right.hasPrefix("200 "), right)
        let untrusted = try await outcome { $0.authorities = nil }
        XCTAssertEqual(untrusted, "tls(untrusted) unsent")
        let old = try await outcome(["-tls1_2"]) { $0.minimumVersion = .tls13 }
        XCTAssertEqual(old, "tls(other) unsent")
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
}
#endif
