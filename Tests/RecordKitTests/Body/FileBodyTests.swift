import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class FileBodyTests: TimedTestCase {
    private func upload(_ body: any NetworkEncodable & Sendable) -> Ask<Data> {
        Ask(method: .put, content: body)
    }

    private func reason(_ error: NetworkError?) -> String? {
        guard case .invalidRequest(let failure) = error, failure.member == .body else { return nil }
        XCTAssertFalse(failure.request.isEmpty)
        return failure.reason
    }

    /// The ways to send a body, over both transports.
    private let ways: [HostileBehavior.Way] = [.value, .dataTask, .curl]

    func testTheBytesAndTheirLength() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(responses: [.status(200)])
        for count in [0, 1, 65_535, 65_536, 65_537, 3_000_001] {
            let bytes = Data.noise(count)
            let file = try folder.file("\(count)", bytes)
            for body in [FileBody(file), bytes] as [any NetworkEncodable & Sendable] {
                for way in ways {
                    let name = "\(type(of: body)) of \(count) bytes, as a \(way)"
                    assertEqual(
                        await way.outcome(NetworkConfiguration(server.url), Ask(method: .put, content: body)), "200 ",
                        name)
                    let request = try XCTUnwrap(server.requests.last)
                    XCTAssertTrue(request.body == bytes, name)
                    XCTAssertEqual(request.headers("Content-Length"), ["\(count)"], name)
                    XCTAssertEqual(request.headers("Transfer-Encoding"), [], name)
                }
            }
        }
    }

    func testThePiecesOfABodyInTheirOrder() async throws {
        struct Piece: NetworkEncodable, Sendable {
            func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
                EncodedBody(.pieces([.data(Data("abc".utf8))]), contentType: "text/plain")
            }
        }
        let folder = try TemporaryFolder()
        let bytes = Data.noise(200_000)
        let file = try folder.file("a", bytes)
        let server = try LoopbackServer { .text($0.bodyLength == 3 ? $0.text : "large") }
        let files = MultipartBody([.file("a", file), .text("b", "c"), .file("d", file)])
        for way in ways {
            let network = NetworkConfiguration(server.url)
            assertEqual(await way.outcome(network, Ask(method: .put, content: Piece())), "200 abc", "\(way)")
            assertEqual(await way.outcome(network, Ask(method: .put, content: files)), "200 large", "\(way)")
            let request = try XCTUnwrap(server.requests.last)
            XCTAssertEqual(request.header("Content-Length"), "\(request.body.count)", "\(way)")
            XCTAssertTrue(request.body.range(of: bytes, options: .backwards) != nil, "\(way)")
        }
    }

    func testAServerThatRefusesEarlyIsHeard() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", Data(count: 20_000_000))
        let server = try LoopbackServer(bodies: .counted, onHead: { _ in .text("too large", status: 413).then(.close) })
        { _ in .status(200) }
        let ask = upload(FileBody(file))
        let error = await NetworkSession(NetworkConfiguration(server.url)).failure(of: ask)
        switch error {
        case .status(let response): XCTAssertEqual(response.statusCode, 413)
        case .connection(let failure): XCTAssertEqual(failure.kind, .lost)
        default: XCTFail("\(String(describing: error))")
        }
    }

    func testAPathThatIsNotAFileIsReportedWhenTheCallIsBuilt() throws {
        let folder = try TemporaryFolder()
        var table: [(URL, String)] = [
            (folder.url.appending(path: "missing"), "does not exist"),
            (folder.url, "not a regular file"),
            (URL(filePath: "/dev/null"), "not a regular file"),
            (try XCTUnwrap(URL(string: "https://user:s3cret@store.example/x")), "is not a file URL"),
        ]
        #if os(Linux)
        table.append((URL(filePath: "/proc/self/stat"), "reports no length"))
        #endif
        for (url, expected) in table {
            for body in [FileBody(url), MultipartBody([.file("a", url)])] as [any NetworkEncodable & Sendable] {
                XCTAssertThrowsError(try upload(body).call(in: "https://store.example")) { error in
                    let reason = reason(error as? NetworkError) ?? ""
                    XCTAssertTrue(reason.contains(expected), reason)
                    XCTAssertFalse(reason.contains("s3cret"))
                }
            }
        }
    }

    func testASymbolicLinkIsFollowed() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", Data("linked".utf8))
        let link = folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        assertEqual(try await FileBody(link).encoded(using: JSONEncoder()).data(), Data("linked".utf8))
    }

    func testAFileThatChangesMeanwhileEndsTheCall() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(responses: [.status(200)])
        let changes: [(count: Int, (URL) throws -> Void)] = [
            (1_000_000, { try Data(count: 10).write(to: $0) }),
            (1_000_000, { try Data(count: 1_000_001).write(to: $0) }),
            (1_000_000, { try FileManager.default.removeItem(at: $0) }),
            (0, { try Data(count: 1).write(to: $0) }),
        ]
        for (number, (count, change)) in changes.enumerated() {
            for transport in [URLSessionTransport(), HostileBehavior.curl] as [any NetworkTransport] {
                let file = try folder.file("a", Data(count: count))
                var call = try upload(FileBody(file)).call(in: NetworkEnvironment(server.url))
                call.options.timeout = .seconds(30)
                try change(file)
                let begin = ContinuousClock.now
                let error = await networkError { try await transport.send(call) }
                let name = "\(number), \(type(of: transport)): \(String(describing: error))"
                XCTAssertNotNil(reason(error), name)
                #if canImport(FoundationNetworking)
                // The head is sent before a nonempty body. An empty body reports the failure before anything is sent.
                XCTAssertEqual(error?.mayHaveReachedServer, count > 0, name)
                #else
                XCTAssertEqual(error?.mayHaveReachedServer, false, name)
                #endif
                XCTAssertLessThan(ContinuousClock.now - begin, .seconds(20), name)
            }
        }
        XCTAssertEqual(server.requests.count, 0)
    }

    func testAnEmptyFileOfAMultipartBodyThatGrowsEndsTheCall() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", Data())
        let body = try MultipartBody([.file("x", file)]).encoded(using: JSONEncoder())
        try Data(count: 1).write(to: file)
        let thrown = await networkError { try await body.data() }
        XCTAssertTrue(thrown?.description.contains("changed") ?? false, "\(String(describing: thrown))")
    }
}
