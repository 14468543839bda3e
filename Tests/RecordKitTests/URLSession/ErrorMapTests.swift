import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class ErrorMapTests: TimedTestCase {
    func testEachReportComesToOneError() throws {
        for report in ErrorReport.all {
            let error = NetworkError(report.error, for: try call(), hasResponse: report.hasResponse, hasSentBody: false)
            let text = HostileBehavior.text(of: .failure(error)).replacing(
                "RecordKit.NetworkError.ConnectionFailure.TLSFailure.", with: "")
            XCTAssertEqual(text, report.expected, "\(report.code.rawValue) \(report.text)")
        }
    }

    func testAReportAfterARedirectOrAHeadNeverSaysUnsent() throws {
        for report in ErrorReport.all {
            let second = try call()
            second.state.markReached()
            let redirected = second.withEarlierExchanges(
                NetworkError(report.error, for: second, hasResponse: false, hasSentBody: false))
            XCTAssertTrue(redirected.mayHaveReachedServer, "\(report.code.rawValue) \(report.text)")
            if report.expected.hasPrefix("invalid") { continue }
            let answered = NetworkError(report.error, for: try call(), hasResponse: true, hasSentBody: false)
            XCTAssertTrue(answered.mayHaveReachedServer, "\(report.code.rawValue) \(report.text)")
        }
    }

    /// libcurl may have sent the request on a kept connection before.
    func testAReportOfAPOSTWithoutABodyNeverSaysUnsent() throws {
        var call = try call()
        call.method = .post
        for report in ErrorReport.all where !report.expected.hasPrefix("invalid") {
            let error = NetworkError(report.error, for: call, hasResponse: false, hasSentBody: false)
            #if canImport(FoundationNetworking)
            XCTAssertTrue(error.mayHaveReachedServer, "\(report.code.rawValue) \(report.text)")
            #endif
            call.body = EncodedBody(Data("{}".utf8))
            let other = NetworkError(report.error, for: call, hasResponse: report.hasResponse, hasSentBody: false)
            XCTAssertEqual(
                HostileBehavior.text(of: .failure(other)).hasSuffix("unsent"), report.expected.hasSuffix("unsent"))
            call.body = nil
        }
    }

    /// A connection to the broadcast address always fails.
    func testAnAddressWithNoWayToItIsRefused() async {
        for way in HostileBehavior.Way.allCases {
            let ask = Ask<NetworkResponse>(baseURL: "http://255.255.255.255:1")
            let result = await HostileBehavior.run(ask, NetworkConfiguration(), way)
            XCTAssertEqual(HostileBehavior.text(of: result), "refused unsent", "\(way)")
        }
    }

    func testNothingIsSentToAHostThatURLSessionDoesNotTake() async throws {
        let server = try LoopbackServer { _ in .redirect(to: "http://127.1:1/") }
        for way in HostileBehavior.Way.allCases {
            let direct = await HostileBehavior.run(
                Ask(baseURL: "http://127.1:1"), NetworkConfiguration(server.url), way)
            guard case .failure(let error) = direct else { return XCTFail("\(direct)") }
            XCTAssertFalse(error.mayHaveReachedServer, "\(way): \(error)")
            let redirected = await HostileBehavior.run(Ask(), NetworkConfiguration(server.url), way)
            guard case .failure(let error) = redirected else { return XCTFail("\(redirected)") }
            XCTAssertTrue(error.mayHaveReachedServer, "\(way): \(error)")
        }
    }

    func testTransientErrors() throws {
        let transient = ["timed out: attempt", "notConnected unsent", "nameNotFound unsent", "refused unsent", "lost"]
        for report in ErrorReport.all {
            let error = NetworkError(report.error, for: try call(), hasResponse: report.hasResponse, hasSentBody: false)
            XCTAssertEqual(error.isTransient, transient.contains(report.expected), report.expected)
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
            NetworkError(report, for: try call(), hasResponse: false, hasSentBody: false),
            .interceptor(NetworkError.InterceptorFailure(interceptor: "Renewal", reason: "it failed", cause: report)),
        ] {
            let cause = try XCTUnwrap(error.cause as? URLError)
            XCTAssertEqual(cause.code, .networkConnectionLost)
            XCTAssertFalse("\(cause) \(cause.errorUserInfo)".contains("s3cret"))
            XCTAssertTrue("\(cause.errorUserInfo)".contains("gone"))
        }
    }

    /// libcurl's message contains the whole URL, cut where its error buffer ends.
    func testAProxysCredentialsAreNotKept() throws {
        let long = String(repeating: "x", count: 230)
        for text in [
            "Unsupported proxy syntax in 'http://u:s3cret/x@127.0.0.1:9'",
            "Unsupported proxy syntax in 'http://u:it's3cret@127.0.0.1:99999': Bad port number",
            "Unsupported proxy scheme for 'socks9://u:s3cret@127.0.0.1:1'",
            "Unsupported proxy 'https://u:s3cret@h:1', libcurl is built without the HTTPS-proxy support.",
            "Unsupported proxy syntax in 'http://u:s3cret\(long)",
        ] {
            let report = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text])
            let error = NetworkError(report, for: try call(), hasResponse: false, hasSentBody: false)
            let cause = try XCTUnwrap(error.cause as? URLError)
            var dumped = ""
            dump(error, to: &dumped)
            XCTAssertFalse("\(error) \(cause) \(cause.errorUserInfo) \(dumped)".contains("s3cret"), "\(error)")
            XCTAssertTrue(error.description.contains("Unsupported proxy"), "\(error)")
        }
    }

    /// Apple's URLSession reports this error for a connection that broke while the app was in the background.
    func testAConnectionThatTheSystemEndedIsLostAndKeptWithoutAddresses() throws {
        let report = POSIXError(
            .ECONNABORTED, userInfo: ["NSErrorFailingURLStringKey": "https://h.example/x?token=s3cret"])
        let error = NetworkError(report, for: try call(), hasResponse: false, hasSentBody: false)
        XCTAssertEqual(HostileBehavior.text(of: .failure(error)), "lost")
        let cause = try XCTUnwrap(error.cause as? POSIXError)
        XCTAssertEqual(cause.code, .ECONNABORTED)
        var dumped = ""
        dump(error, to: &dumped)
        XCTAssertFalse("\(error) \(cause) \(cause.errorUserInfo) \(dumped)".contains("s3cret"), dumped)
    }

    func testAnErrorOfAnyOtherTypeIsUnknown() throws {
        struct Odd: Error {}
        let error = NetworkError(Odd(), for: try call(), hasResponse: false, hasSentBody: false)
        guard case .connection(let failure) = error else { return XCTFail("\(error)") }
        XCTAssertEqual(failure.kind, .unknown)
        XCTAssertTrue(failure.cause is Odd)
    }

    private func call() throws -> NetworkCall {
        NetworkCall(url: try XCTUnwrap(URL(string: "https://h.example/x")))
    }

    func testAnErrorOfTheLibrarysKeepsItsKind() throws {
        guard
            case .tooLarge(NetworkError.TooLarge(limit: 1, host: "h")) = NetworkError(
                NetworkError.tooLarge(NetworkError.TooLarge(limit: 1, host: "h")), for: try call())
        else { return XCTFail("changed") }
        XCTAssertTrue(NetworkError(CancellationError(), for: try call()).isCancelled)
    }
}
