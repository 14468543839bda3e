import RecordKit
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a server may not say about a body, over both transports and as a stream.
final class FramingTests: TimedTestCase {
    private static let transports: [any NetworkTransport] = [URLSessionTransport(), HostileBehavior.curl]

    private func network(_ server: LoopbackServer, _ transport: any NetworkTransport) -> NetworkConfiguration {
        NetworkConfiguration(environment: NetworkEnvironment(server.url.absoluteString), transport: transport)
    }

    func testAStreamWithALengthThatIsNotValidFails() async throws {
        for lines in [
            ["Content-Length: 2", "Content-Length: 5"], ["Content-Length: 5", "Content-Length: 2"],
            ["Content-Length: 2x"], ["Content-Length: +2"], ["Content-Length: 2, 60"],
            ["Content-Length: 99999999999999999999"], ["X: a\rb", "Content-Length: 2"],
        ] {
            let head = "HTTP/1.1 200 \r\n" + lines.map { $0 + "\r\n" }.joined()
            for transport in Self.transports {
                let server = try LoopbackServer { _ in [.send(head + "\r\nno"), .close] }
                do throws(NetworkError) {
                    let response = try await NetworkSession(network(server, transport)).value(
                        for: Ask<NetworkResponse>()
                    ) { $0.delivery = .streamed }
                    XCTFail("\(type(of: transport)), \(lines): \(response)")
                } catch {
                    guard case .badResponse = error else { return XCTFail("\(lines): \(error)") }
                }
            }
        }
    }

    func testAStreamWithTheSameLengthTwiceIsRead() async throws {
        for transport in Self.transports {
            let server = try LoopbackServer { _ in
                [.send("HTTP/1.1 200 \r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok"), .hold]
            }
            let response = try await NetworkSession(network(server, transport)).value(for: Ask<NetworkResponse>()) {
                $0.delivery = .streamed
            }
            var text = ""
            for try await chunk in try XCTUnwrap(response.stream) { text += String(decoding: chunk, as: UTF8.self) }
            XCTAssertEqual(text, "ok", "\(type(of: transport))")
        }
    }

    /// A refused redirect and the fields of a response, printed.
    func testNothingOfATargetIsPrintedButItsPath() async throws {
        for target in [
            "data:text/html,token=s3cret", "https://else.test/x?token=s3cret&q=s3cret", "JavaScript:s3cret",
            "ftp://user:s3cret@h/", "http://else.test/x#s3cret",
        ] {
            for transport in Self.transports {
                let server = try LoopbackServer { _ in
                    .status(302, headers: ["Location": target, "Refresh": "5; url=/x?token=s3cret&a=1"])
                }
                var network = network(server, transport)
                network.options.redirects = .sameOrigin()
                do {
                    _ = try await NetworkSession(network).value(for: Ask<String>())
                    XCTFail(target)
                } catch {
                    guard case .redirectRefused(let refusal) = error else { return XCTFail("\(error)") }
                    XCTAssertFalse("\(error) \(refusal.location)".contains("s3cret"), "\(error)")
                    XCTAssertTrue("\(refusal.response.headers)".contains("token=redacted&a=1"))
                    if !target.hasSuffix("q=s3cret"), !target.contains("#") {
                        XCTAssertFalse("\(refusal.response.headers)".contains("s3cret"), "\(refusal.response.headers)")
                    }
                }
            }
        }
    }

    func testATransportThatIsDumpedShowsNoHeaderValue() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Key": "s3cret"]
        let stub = StubServer()
        stub.respond(to: "/x", with: .status(200, headers: ["X-Key": "s3cret"]))
        for transport in [URLSessionTransport(configuration), stub, CurlTransport()] as [any NetworkTransport] {
            var dumped = ""
            dump(transport, to: &dumped)
            dump(NetworkConfiguration(environment: "https://h.test", transport: transport), to: &dumped)
            XCTAssertFalse(dumped.contains("s3cret"), dumped)
        }
    }
}
