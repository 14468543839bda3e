import Foundation
import RecordKitTesting
import XCTest

@testable import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What URLSession reports on each system, as it was recorded or is documented, and what comes of it.
final class ErrorMapTests: XCTestCase {
    private struct Row {
        var code: URLError.Code
        var text = ""
        var hasResponse = false
        let expected: String

        init(_ code: URLError.Code, _ expected: String) {
            self.init(code, "", expected)
        }

        init(_ code: URLError.Code, _ text: String, hasResponse: Bool = false, _ expected: String) {
            self.code = code
            self.text = text
            self.hasResponse = hasResponse
            self.expected = expected
        }
    }

    private let rows: [Row] = [
        // Both systems.
        Row(.cancelled, "cancelled"),
        Row(.timedOut, "timed out: attempt"),
        Row(.notConnectedToInternet, "notConnected unsent"),
        Row(.dataNotAllowed, "notConnected unsent"),
        Row(.internationalRoamingOff, "notConnected unsent"),
        Row(.callIsActive, "notConnected unsent"),
        Row(.cannotFindHost, "Could not resolve host: x", "nameNotFound unsent"),
        Row(.dnsLookupFailed, "nameNotFound unsent"),
        Row(.cannotConnectToHost, "refused unsent"),
        Row(.networkConnectionLost, "Recv failure: Connection reset by peer", "lost"),
        Row(.badServerResponse, "bad response"),
        Row(.badURL, "invalid: baseURL"),
        // Apple's systems: the code says it.
        Row(.serverCertificateHasBadDate, "tls(expired) unsent"),
        Row(.serverCertificateNotYetValid, "tls(expired) unsent"),
        Row(.serverCertificateUntrusted, "tls(untrusted) unsent"),
        Row(.serverCertificateHasUnknownRoot, "tls(untrusted) unsent"),
        Row(.clientCertificateRequired, "tls(clientCertificate) unsent"),
        Row(.clientCertificateRejected, "tls(clientCertificate) unsent"),
        Row(.secureConnectionFailed, "tls(other) unsent"),
        Row(.appTransportSecurityRequiresSecureConnection, "tls(other) unsent"),
        Row(.cannotParseResponse, "bad response"),
        Row(.cannotDecodeRawData, "", hasResponse: true, "bad response"),
        Row(.cannotDecodeContentData, "", hasResponse: true, "bad response"),
        // Linux: libcurl's words.
        Row(.unsupportedURL, "Received HTTP/0.9 when not allowed", "bad response"),
        Row(.unsupportedURL, "Unsupported HTTP version (9.9) in response", "bad response"),
        Row(.badServerResponse, "Empty reply from server", "lost"),
        Row(.unknown, "transfer closed with 3 bytes remaining to read", hasResponse: true, "lost"),
        Row(.unknown, "transfer closed with outstanding read data remaining", hasResponse: true, "lost"),
        Row(.unknown, "Recv failure: Connection reset by peer", "lost"),
        Row(.unknown, "Send failure: Broken pipe", "lost"),
        Row(.unknown, "OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0", "lost"),
        Row(.unknown, "OpenSSL SSL_read: SSL_ERROR_SYSCALL, errno 0", hasResponse: true, "lost"),
        Row(.unknown, "OpenSSL SSL_write: Broken pipe, errno 32", "lost"),
        Row(.unknown, "OpenSSL SSL_read: error:0A0003FC:SSL routines::sslv3 alert bad record mac, errno 0", "lost"),
        Row(
            .unknown, "OpenSSL SSL_read: error:0A0003FC:SSL routines::sslv3 alert bad record mac, errno 0",
            hasResponse: true, "lost"),
        Row(.unknown, "Failed to connect to h port 1 after 3070 ms: Couldn't connect to server", "refused unsent"),
        Row(.unknown, "Failed to connect to tls.h port 443: No route to host", "refused unsent"),
        Row(
            .cannotConnectToHost, "Failed to connect to h port 1 after 0 ms: Couldn't connect to server",
            "refused unsent"),
        Row(.unknown, "Could not resolve proxy: tls-proxy", "nameNotFound unsent"),
        // What Linux hands over of a proxy's answer to CONNECT looks like the answer.
        Row(.unknown, "SSL certificate problem: certificate has expired", hasResponse: true, "tls(expired)"),
        // What fails once the first of a host's addresses has refused has the code of that.
        Row(.cannotConnectToHost, "Empty reply from server", "lost"),
        Row(.cannotConnectToHost, "transfer closed with 3 bytes remaining to read", hasResponse: true, "lost"),
        Row(.cannotConnectToHost, "SSL certificate problem: certificate has expired", "tls(expired) unsent"),
        Row(.cannotConnectToHost, "something that nobody has seen", "unknown"),
        Row(.unknown, "Failed writing received data to disk/application", "bad response"),
        Row(.unknown, "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", "lost"),
        Row(.unknown, "Illegal or missing hexadecimal sequence in chunked-encoding", hasResponse: true, "bad response"),
        Row(.unknown, "Error while processing content unencoding: incorrect header check", "bad response"),
        Row(.unknown, "Unrecognized content encoding type. libcurl understands deflate, gzip", "bad response"),
        Row(.unknown, "Unrecognized or bad HTTP Content or Transfer-Encoding", "bad response"),
        Row(.unknown, "Header without colon", "bad response"),
        Row(.unknown, "Failed writing header", "bad response"),
        Row(.unknown, "Invalid Content-Length: value", "bad response"),
        Row(.unknown, "Out of memory", "bad response"),
        Row(.unknown, "SSL certificate problem: unable to get local issuer certificate", "tls(untrusted) unsent"),
        Row(.unknown, "SSL certificate problem: self-signed certificate", "tls(untrusted) unsent"),
        Row(.unknown, "SSL certificate problem: self signed certificate in certificate chain", "tls(untrusted) unsent"),
        Row(.unknown, "SSL certificate problem: certificate has expired", "tls(expired) unsent"),
        Row(.unknown, "SSL certificate problem: certificate is not yet valid", "tls(expired) unsent"),
        Row(
            .unknown, "SSL: no alternative certificate subject name matches target host name 'localhost'",
            "tls(wrongHost) unsent"),
        Row(
            .unknown, "SSL: certificate subject name 'a' does not match target host name 'b'", "tls(wrongHost) unsent"),
        Row(
            .unknown, "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
            "tls(clientCertificate) unsent"),
        Row(.unknown, "error:0A0000BF:SSL routines::no protocols available", "tls(other) unsent"),
        Row(.unknown, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:443", "tls(other) unsent"),
        Row(.unknown, "OpenSSL SSL_read: error:0A000418:SSL routines::tlsv1 alert unknown ca", "tls(other) unsent"),
        Row(.unknown, "something that nobody has seen", "unknown"),
        Row(.unknown, "something that nobody has seen", hasResponse: true, "bad response"),
    ]

    func testEachReportComesToOneError() throws {
        for row in rows {
            let error = NetworkError(report(row), of: try call(), hasResponse: row.hasResponse, wasRedirected: false)
            let text = HostileBehaviour.text(of: .failure(error)).replacing(
                "RecordKit.ConnectionFailure.TLSFailure.", with: "")
            XCTAssertEqual(text, row.expected, "\(row.code.rawValue) \(row.text)")
        }
    }

    func testAReportAfterARedirectOrAHeadNeverSaysUnsent() throws {
        for row in rows {
            let redirected = NetworkError(report(row), of: try call(), hasResponse: false, wasRedirected: true)
            XCTAssertTrue(redirected.mayHaveReachedServer, "\(row.code.rawValue) \(row.text)")
            if row.expected.hasPrefix("invalid") { continue }
            let answered = NetworkError(report(row), of: try call(), hasResponse: true, wasRedirected: false)
            XCTAssertTrue(answered.mayHaveReachedServer, "\(row.code.rawValue) \(row.text)")
        }
    }

    /// libcurl may have sent it on a kept connection before.
    func testAReportOfAPOSTWithoutABodyNeverSaysUnsent() throws {
        var call = try call()
        call.method = .post
        for row in rows where !row.expected.hasPrefix("invalid") {
            let error = NetworkError(report(row), of: call, hasResponse: false, wasRedirected: false)
            #if canImport(FoundationNetworking)
            XCTAssertTrue(error.mayHaveReachedServer, "\(row.code.rawValue) \(row.text)")
            #endif
            call.body = EncodedBody(Data("{}".utf8), contentType: nil)
            let other = NetworkError(
                report(row), of: call, hasResponse: row.hasResponse, wasRedirected: false)
            XCTAssertEqual(
                HostileBehaviour.text(of: .failure(other)).hasSuffix("unsent"), row.expected.hasSuffix("unsent"))
            call.body = nil
        }
    }

    /// No machine connects to the broadcast address.
    func testAnAddressWithNoWayToItIsRefused() async {
        for way in HostileBehaviour.Way.allCases {
            let ask = Ask<NetworkResponse>(baseURL: "http://255.255.255.255:1")
            let result = await HostileBehaviour.run(ask, NetworkConfiguration(), way)
            XCTAssertEqual(HostileBehaviour.text(of: result), "refused unsent", "\(way)")
        }
    }

    func testNothingIsSentToAHostThatURLSessionDoesNotTake() async throws {
        let server = try LoopbackServer { _ in .redirect(to: "http://[::1]:1/") }
        for way in HostileBehaviour.Way.allCases {
            let direct = await HostileBehaviour.run(
                Ask(baseURL: "http://[::1]:1"), NetworkConfiguration(server.url), way)
            guard case .failure(let error) = direct else { return XCTFail("\(direct)") }
            XCTAssertFalse(error.mayHaveReachedServer, "\(way): \(error)")
            let redirected = await HostileBehaviour.run(Ask(), NetworkConfiguration(server.url), way)
            guard case .failure(let error) = redirected else { return XCTFail("\(redirected)") }
            XCTAssertTrue(error.mayHaveReachedServer, "\(way): \(error)")
        }
    }

    func testWhatMayHelpToSendAgain() throws {
        let transient = ["timed out: attempt", "notConnected unsent", "nameNotFound unsent", "refused unsent", "lost"]
        for row in rows {
            let error = NetworkError(report(row), of: try call(), hasResponse: row.hasResponse, wasRedirected: false)
            XCTAssertEqual(error.isTransient, transient.contains(row.expected), row.expected)
        }
    }

    func testTheCauseIsKeptWithoutAddresses() throws {
        let report = URLError(
            .networkConnectionLost,
            userInfo: [
                "NSErrorFailingURLStringKey": "https://h/?token=s3cret", NSLocalizedDescriptionKey: "gone",
                NSURLErrorFailingURLErrorKey: URL(filePath: "/s3cret"),
            ])
        for error in [
            NetworkError(report, of: try call(), hasResponse: false, wasRedirected: false),
            .interceptor(InterceptorFailure(interceptor: "Renewal", reason: "it failed", cause: report)),
        ] {
            let cause = try XCTUnwrap(error.cause as? URLError)
            XCTAssertEqual(cause.code, .networkConnectionLost)
            XCTAssertFalse("\(cause) \(cause.errorUserInfo)".contains("s3cret"))
            XCTAssertTrue("\(cause.errorUserInfo)".contains("gone"))
        }
    }

    func testAnErrorOfAnyOtherTypeIsUnknown() throws {
        struct Odd: Error {}
        let error = NetworkError(Odd(), of: try call(), hasResponse: false, wasRedirected: false)
        guard case .connection(let failure) = error else { return XCTFail("\(error)") }
        XCTAssertEqual(failure.kind, .unknown)
        XCTAssertTrue(failure.cause is Odd)
    }

    private func report(_ row: Row) -> URLError {
        URLError(row.code, userInfo: [NSLocalizedDescriptionKey: row.text])
    }

    private func call() throws -> NetworkCall {
        NetworkCall(url: try XCTUnwrap(URL(string: "https://h.example/x")))
    }
}
