import Foundation
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

    func testTheBytesAndTheirLength() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(responses: [.status(200)])
        for count in [0, 1, 65_535, 65_536, 65_537, 3_000_001] {
            let bytes = Data.noise(count)
            let file = try folder.file("\(count)", bytes)
            _ = try await NetworkSession(NetworkConfiguration(server.url)).value(for: upload(FileBody(file)))
            let request = try XCTUnwrap(server.requests.last)
            XCTAssertTrue(request.body == bytes, "\(count) bytes")
            XCTAssertEqual(request.headers("Content-Length"), ["\(count)"])
            XCTAssertEqual(request.headers("Transfer-Encoding"), [])
        }
    }

    func testADataTaskSendsItToo() async throws {
        let folder = try TemporaryFolder()
        let bytes = Data.noise(200_000)
        let file = try folder.file("a", bytes)
        let server = try LoopbackServer(responses: [.status(200)])
        let body = MultipartBody([.file("a", file), .text("b", "c"), .file("d", file)])
        for content in [FileBody(file), body] as [any NetworkEncodable & Sendable] {
            _ = try await dataTask(upload(content), NetworkConfiguration(server.url))
        }

        XCTAssertTrue(server.requests.first?.body == bytes)
        let request = try XCTUnwrap(server.requests.last)
        XCTAssertEqual(request.header("Content-Length"), "\(request.body.count)")
        XCTAssertTrue(request.body.range(of: bytes, options: .backwards) != nil)
    }

    func testAPieceInMemoryAloneIsSentAsWell() async throws {
        struct Piece: NetworkEncodable, Sendable {
            func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
                EncodedBody(.pieces([.data(Data("abc".utf8))]), contentType: "text/plain")
            }
        }
        let server = try LoopbackServer { .text($0.text) }
        for way in [HostileBehavior.Way.value, .dataTask] {
            let ask = Ask<NetworkResponse>(method: .put, content: Piece())
            let result = await HostileBehavior.run(ask, NetworkConfiguration(server.url), way)
            XCTAssertEqual(HostileBehavior.text(of: result), "200 abc", "\(way)")
        }
    }

    func testARedirectAndANewConnectionSendItAgain() async throws {
        let folder = try TemporaryFolder()
        let bytes = Data.noise(500_000)
        let file = try folder.file("a", bytes)
        let server = try LoopbackServer { request in
            request.path == "/ask" ? .redirect(to: "/there", status: 307) : .status(200)
        }
        let configuration = NetworkSession(NetworkConfiguration(server.url))
        _ = try await configuration.value(for: upload(FileBody(file)))
        XCTAssertEqual(server.requests.map { $0.body == bytes }, [true, true])

        // The server closes each connection after its response, so the second request is sent on a closed connection.
        let closing = try LoopbackServer(responses: [.status(200).then(.close)])
        let other = NetworkSession(NetworkConfiguration(closing.url))
        for index in 0..<3 {
            _ = try await other.value(for: upload(FileBody(file)))
            try await closing.waitForDisconnection(of: index)
        }
        XCTAssertEqual(closing.requests.map { $0.body == bytes }, [true, true, true])
    }

    private func dataTask(_ ask: Ask<Data>, _ configuration: NetworkConfiguration) async throws(NetworkError) -> Data {
        let result = await withCheckedContinuation { continuation in
            _ = NetworkManager<Ask<Data>>(configuration).dataTask(for: ask) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    func testAServerThatRefusesEarlyIsHeard() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", Data(count: 20_000_000))
        let server = try LoopbackServer(bodies: .counted, onHead: { _ in .text("too large", status: 413).then(.close) })
        {
            _ in .status(200)
        }
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
        let data = try await FileBody(link).encoded(using: JSONEncoder()).data()
        XCTAssertEqual(data, Data("linked".utf8))
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
        for (count, change) in changes {
            let file = try folder.file("a", Data(count: count))
            let call = try upload(FileBody(file)).call(
                in: NetworkEnvironment(server.url.absoluteString), options: RequestOptions(timeout: .seconds(30)))
            try change(file)
            let begin = ContinuousClock.now
            let error = await failure { () async throws(NetworkError) in try await URLSessionTransport().send(call) }
            XCTAssertNotNil(reason(error), "\(String(describing: error))")
            #if canImport(FoundationNetworking)
            // The head is sent before a nonempty body. An empty body reports the failure before anything is sent.
            XCTAssertEqual(error?.mayHaveReachedServer, count > 0)
            #else
            XCTAssertEqual(error?.mayHaveReachedServer, false)
            #endif
            XCTAssertLessThan(ContinuousClock.now - begin, .seconds(20))
        }
        XCTAssertEqual(server.requests.count, 0)
    }

    func testAnEmptyFileOfAMultipartBodyThatGrowsEndsTheCall() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", Data())
        let body = try MultipartBody([.file("x", file)]).encoded(using: JSONEncoder())
        try Data(count: 1).write(to: file)
        let thrown = await failure { () async throws(NetworkError) in try await body.data() }
        XCTAssertTrue(thrown?.description.contains("changed") ?? false, "\(String(describing: thrown))")
    }

    func testTheBodyOfACallCanBeReadInTheProcess() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", Data("abc".utf8))
        let body = try MultipartBody([.file("x", file)]).encoded(using: JSONEncoder())
        let transport = CannedTransport { call throws(NetworkError) in
            let data = try await call.body?.data()
            return NetworkResponse(statusCode: 200, body: data ?? Data(), url: call.url)
        }
        let configuration = NetworkSession(
            NetworkConfiguration(environment: "https://store.example", transport: transport))
        let data = try await configuration.value(for: upload(MultipartBody([.file("x", file)])))
        XCTAssertEqual(data.count, body.length)
        XCTAssertTrue(String(decoding: data, as: UTF8.self).contains("\r\n\r\nabc\r\n"))
    }
}
