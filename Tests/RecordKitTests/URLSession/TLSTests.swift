#if os(Linux)
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// URLSession on Linux only trusts the system's bundle of certificates. These tests run in a child process in a private
/// namespace, where another bundle is mounted over the system's. A server with a good certificate is then trusted, and
/// another is refused for the fault in its certificate. Where namespaces are not permitted, ``ErrorMapTests`` uses
/// recorded reports instead.
final class TLSTests: TimedTestCase {
    private static let name = "RecordKitTests.TLSTests/testInTheChild"

    func testEachFaultOfACertificateHasItsName() throws {
        if ChildProcess.task != nil { return }
        let folder = FileManager.default.temporaryDirectory.appending(path: "RecordKit-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let certificates = try Certificates.make(in: folder)
        let mount = #"mount --bind "$1" /etc/ssl/certs/ca-certificates.crt && echo mounted && shift && exec "$@""#
        let child = try ChildProcess.run(
            Self.name, task: folder.path,
            wrapper: ["unshare", "--mount", "sh", "-c", mount, "sh", certificates.bundle.path])
        guard child.output.contains("mounted") else {
            print("Not run: TLS against servers, for want of a private mount namespace: \(child.output)")
            return
        }
        XCTAssertEqual(child.status, 0, child.output)
        XCTAssertTrue(child.output.contains("all faults were met"), child.output)
    }

    func testInTheChild() async throws {
        guard let folder = ChildProcess.task, folder.contains("RecordKit-") else { return }
        let certificates = Certificates(in: URL(filePath: folder))
        let expected: [(Certificates.Kind, [String], String)] = [
            (.good, [], "200 "), (.expired, [], "tls(expired) unsent"), (.future, [], "tls(expired) unsent"),
            (.otherHost, [], "tls(wrongHost) unsent"), (.selfSigned, [], "tls(untrusted) unsent"),
            (.good, ["-Verify", "1", "-verify_return_error"], "tls(clientCertificate) unsent"),
            (.good, ["-Verify", "1", "-verify_return_error", "-tls1_2"], "tls(other) unsent"),
        ]
        for (kind, options, outcome) in expected {
            let server = try TLSServer(kind, of: certificates, options: options)
            try await check(port: server.port, outcome, "\(kind) \(options)")
        }
        let plain = try LoopbackServer(responses: [.text("x")])
        try await check(port: plain.port, "tls(other) unsent", "no TLS at all")
        print("all faults were met")
    }

    private func check(port: Int, _ outcome: String, _ what: String) async throws {
        let url = try XCTUnwrap(URL(string: "https://localhost:\(port)"))
        for way in HostileBehavior.Way.allCases {
            let result = await HostileBehavior.run(Ask(), NetworkConfiguration(url), way)
            let text = HostileBehavior.text(of: result).replacing(
                "RecordKit.NetworkError.ConnectionFailure.TLSFailure.", with: "")
            XCTAssertTrue(text.hasPrefix(outcome), "\(what), as a \(way): \(text), \(result)")
        }
    }
}
#endif
