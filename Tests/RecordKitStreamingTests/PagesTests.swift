import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// Pages follow each other in every way that servers use.
final class PagesTests: TimedTestCase {
    private enum ListError: NetworkFailure {
        case network(NetworkError)

        init(_ error: NetworkError) {
            self = .network(error)
        }

        var reason: String? {
            if case .network(.invalidRequest(let failure)) = self { failure.reason } else { nil }
        }
    }

    /// A list that is linked by `Link`, which is the default.
    private struct Linked: PagedRequest {
        typealias ValueType = [Int]
        typealias Item = Int
        typealias ErrorType = ListError

        var path: RequestPath { "list" }
        var query: RequestQuery { ["size": 2] }
        var headers: HTTPHeaders { ["X-Api-Key": "s3cret"] }
    }

    /// A server with the pages `[0, 1]`, `[2, 3]` and so on.
    private static func linkedServer(pages: Int, target: String = "/list?page=") throws -> LoopbackServer {
        try LoopbackServer { request in
            let number = Int(request.target.split(separator: "=").last ?? "") ?? 0
            let page = request.target.contains("page=") ? number : 0
            var headers: HTTPHeaders = ["Content-Type": "application/json"]
            if page + 1 < pages { headers["Link"] = "<\(target)\(page + 1)>; rel=\"next\"" }
            return .status(200, headers: headers, body: Data("[\(2 * page), \(2 * page + 1)]".utf8))
        }
    }

    func testLinksAreFollowed() async throws {
        let server = try Self.linkedServer(pages: 3)
        let manager = NetworkManager<Linked>(NetworkConfiguration(server.url))
        assertEqual(try await manager.items(for: Linked()).collect(), [0, 1, 2, 3, 4, 5])
        XCTAssertEqual(server.requests.map(\.target), ["/list?size=2", "/list?page=1", "/list?page=2"])
        XCTAssertEqual(server.requests.map { $0.header("X-Api-Key") }, ["s3cret", "s3cret", "s3cret"])
    }

    func testAPageIsLoadedWhenItIsRead() async throws {
        let server = try Self.linkedServer(pages: 3)
        let pages = NetworkManager(NetworkConfiguration(server.url)).pages(for: Linked())
        XCTAssertEqual(server.requests.count, 0)
        assertEqual(try await pages.response.statusCode, 200)
        XCTAssertEqual(server.requests.count, 1)
        for number in 1...3 {
            let page = try await pages.first()
            XCTAssertEqual(page?.reply.value, [2 * number - 2, 2 * number - 1])
            XCTAssertEqual(page?.next == nil, number == 3)
            XCTAssertEqual(server.requests.count, number)
        }
        assertNil(try await pages.first())
    }

    func testALimitEndsTheListAndTheLastPageTellsWhereToGoOn() async throws {
        let server = try Self.linkedServer(pages: 5)
        let network = NetworkSession(NetworkConfiguration(server.url))
        let pages = try await NetworkManager(network).pages(for: Linked(), options: PagingOptions(pageLimit: 2))
            .collect()
        XCTAssertEqual(pages.flatMap(\.items), [0, 1, 2, 3])
        let rest = try await NetworkManager(network).items(for: Linked(), from: XCTUnwrap(pages.last?.next)).collect()
        XCTAssertEqual(rest, [4, 5, 6, 7, 8, 9])
        let none = try await NetworkManager(network).items(for: Linked(), options: PagingOptions(pageLimit: 0))
            .collect()
        XCTAssertEqual(none, [])
        XCTAssertEqual(server.requests.count, 5)
    }

    func testAPageOnAnotherServerIsRefusedUnlessAllowed() async throws {
        let other = try Self.linkedServer(pages: 2)
        let server = try Self.linkedServer(pages: 2, target: "\(other.url)/list?page=")
        for ahead in [false, true] {
            let items = NetworkManager(NetworkConfiguration(server.url)).items(
                for: Linked(), options: PagingOptions(loadsAhead: ahead))
            var read: [Int] = []
            do {
                for try await item in items { read.append(item) }
                XCTFail("It was followed.")
            } catch {
                XCTAssertTrue(error.reason?.contains("127.0.0.1:\(other.port)") ?? false, "\(error)")
            }
            XCTAssertEqual(read, [0, 1])
        }
        XCTAssertEqual(other.connectionCount, 0)
        let options = PagingOptions(allowsOtherOrigins: true)
        let items = try await NetworkManager(NetworkConfiguration(server.url)).items(for: Linked(), options: options)
            .collect()
        XCTAssertEqual(items, [0, 1, 2, 3])
    }

    func testAStoredPageOnAnotherServerIsRefusedUnlessAllowed() async throws {
        let transport = CannedTransport(body: "[1]")
        let network = NetworkSession(NetworkConfiguration(transport))
        let stored = NextPage<Linked>.url(try XCTUnwrap(URL(string: "https://other.example/list?page=2")))
        let refusal = await failure { () async throws(ListError) in
            try await NetworkManager(network).items(for: Linked(), from: stored).collect()
        }
        XCTAssertTrue(refusal?.reason?.contains("other.example:443") ?? false, "\(String(describing: refusal))")
        XCTAssertEqual(transport.calls.count, 0)
        let options = PagingOptions(allowsOtherOrigins: true)
        let items = try await NetworkManager(network).items(for: Linked(), from: stored, options: options).collect()
        XCTAssertEqual(items, [1])
    }

    /// A list whose pages have the URL of the next one in a field of their own.
    private struct InField: PagedRequest {
        typealias ValueType = [Int]
        typealias Item = Int
        typealias ErrorType = ListError

        var path: RequestPath { "lists/one" }

        func next(after page: NetworkReply<[Int]>) -> NextPage<Self>? {
            page.response?.headers["Next-Page"].flatMap { URL(string: $0) }.map { .url($0) }
        }
    }

    func testAURLIsResolvedAndSentWithoutAPassword() async throws {
        let urls = [
            "/lists/one?page=2", "one?page=2", "?page=2", "//store.example/lists/one?page=2",
            "https://user:secret@store.example/lists/one?page=2",
        ]
        for url in urls {
            let transport = CannedTransport { call throws(NetworkError) in
                let headers: HTTPHeaders = call.url.query() == nil ? ["Next-Page": url] : [:]
                return NetworkResponse(statusCode: 200, headers: headers, body: Data("[1]".utf8), url: call.url)
            }
            let network = NetworkSession(NetworkConfiguration(transport))
            assertEqual(try await NetworkManager(network).items(for: InField()).collect(), [1, 1], url)
            XCTAssertEqual(transport.calls.last?.url.absoluteString, "https://store.example/lists/one?page=2", url)
        }
    }

    func testALoopIsFound() async throws {
        let server = try LoopbackServer { request in
            let next = request.target.contains("page=1") ? "/list?page=2" : "/list?page=1"
            return .status(200, headers: ["Link": "<\(next)>; rel=next"], body: Data("[1]".utf8))
        }
        for ahead in [false, true] {
            let items = NetworkManager(NetworkConfiguration(server.url)).items(
                for: Linked(), options: PagingOptions(loadsAhead: ahead))
            var count = 0
            do {
                for try await _ in items { count += 1 }
                XCTFail("It ended.")
            } catch {
                XCTAssertTrue(error.reason?.contains("never end") ?? false, "\(error)")
            }
            XCTAssertEqual(count, 3)
        }
    }

    func testAFailureEndsTheList() async throws {
        let server = try LoopbackServer(responses: [
            .status(200, headers: ["Link": "</list?page=1>; rel=next"], body: Data("[1]".utf8)),
            .text("too much", status: 503),
        ])
        let items = NetworkManager(NetworkConfiguration(server.url)).items(for: Linked())
        var read: [Int] = []
        let error = await failure { for try await item in items { read.append(item) } }
        guard case .network(.status(let response)) = error as? ListError else { return XCTFail("\(error as Any)") }
        XCTAssertEqual(String(decoding: response.body, as: UTF8.self), "too much")
        XCTAssertEqual(read, [1])
    }

    func testTheNextPageIsLoadedAhead() async throws {
        let gate = ResponseGate()
        let server = try LoopbackServer { request in
            if request.target.contains("page=1") { return .text("[2]").after(.wait(gate)) }
            return .status(200, headers: ["Link": "</list?page=1>; rel=next"], body: Data("[1]".utf8))
        }
        let network = NetworkSession(NetworkConfiguration(server.url))
        let items = NetworkManager(network).items(for: Linked(), options: PagingOptions(loadsAhead: true))
        let first = try await items.first()
        XCTAssertEqual(first, 1)
        // The second page is asked for, although it is not read.
        _ = try await server.request(at: 1)
        gate.open()
        assertEqual(try await items.first(), 2)
        assertNil(try await items.first())
        XCTAssertEqual(network.inFlight, 0)
    }

    func testACancelledOrReleasedListEndsThePageThatIsLoadedAhead() async throws {
        let server = try LoopbackServer { request in
            if request.target.contains("page=1") { return .never }
            return .status(200, headers: ["Link": "</list?page=1>; rel=next"], body: Data("[1]".utf8))
        }
        let network = NetworkSession(NetworkConfiguration(server.url))
        let options = PagingOptions(loadsAhead: true)
        let items = NetworkManager(network).items(for: Linked(), options: options)
        _ = try await items.first()
        _ = try await server.request(at: 1)
        items.cancel()
        await until { network.inFlight == 0 }
        do {
            _ = try await items.first()
            XCTFail("It was cancelled.")
        } catch {
            guard case .network(.cancelled) = error else { return XCTFail("\(error)") }
        }
        func readOne() async throws {
            let released = NetworkManager(network).items(for: Linked(), options: options)
            _ = try await released.first()
            _ = try await server.request(at: 3)
            XCTAssertEqual(network.inFlight, 1)
        }
        try await readOne()
        await until { network.inFlight == 0 }
    }

    func testPagesWithoutElementsArePassedOver() async throws {
        let next = { (number: Int) -> HTTPHeaders in ["Link": "</list?page=\(number)>; rel=next"] }
        let server = try LoopbackServer(responses: [
            .status(200, headers: next(1), body: Data("[]".utf8)),
            .status(200, headers: next(2), body: Data("[]".utf8)),
            .status(200, body: Data("[7]".utf8)),
        ])
        assertEqual(try await NetworkManager(NetworkConfiguration(server.url)).items(for: Linked()).collect(), [7])
    }

    /// A list whose pages follow each other as a server wants it.
    private struct Cursored: PagedRequest {
        struct Page: Decodable, Sendable {
            var items: [Int]
            var cursor: String?
        }
        enum Way: Sendable { case cursor, number, offset }

        typealias ValueType = Page
        typealias Item = Int
        typealias ErrorType = ListError

        let way: Way
        var cursor: String?
        var number = 0

        var path: RequestPath { "list" }
        var query: RequestQuery {
            switch way {
            case .cursor: ["cursor": cursor]
            case .number: ["page": number]
            case .offset: ["offset": number * 2]
            }
        }

        func items(of page: Page) -> [Int] { page.items }

        func next(after page: NetworkReply<Page>) -> NextPage<Self>? {
            switch way {
            case .cursor: page.value.cursor.map { .request(Cursored(way: way, cursor: $0)) }
            case .number, .offset:
                page.value.items.isEmpty ? nil : .request(Cursored(way: way, number: number + 1))
            }
        }
    }

    func testCursorsNumbersAndOffsets() async throws {
        let server = try LoopbackServer { request in
            let query = request.target.split(separator: "?").last.map(String.init) ?? ""
            let value = query.split(separator: "=").last.map(String.init) ?? ""
            var page = Int(value) ?? 0
            if query.hasPrefix("offset") { page /= 2 }
            let items = page < 3 ? "[\(2 * page), \(2 * page + 1)]" : "[]"
            let cursor = page < 2 ? "\"\(page + 1)\"" : "null"
            return .json("{\"items\": \(items), \"cursor\": \(cursor)}")
        }
        let network = NetworkSession(NetworkConfiguration(server.url))
        for way in [Cursored.Way.cursor, .number, .offset] {
            let items = try await NetworkManager(network).items(for: Cursored(way: way)).collect()
            XCTAssertEqual(items, [0, 1, 2, 3, 4, 5], "\(way)")
        }
    }

    func testEachPageIsConfiguredAndObserved() async throws {
        let server = try Self.linkedServer(pages: 2)
        let events = EventSpy()
        let network = NetworkConfiguration(server.url, observers: [events])
        _ = try await NetworkManager(network).items(for: Linked(), configure: { $0.headers["X-Page"] = "yes" })
            .collect()
        XCTAssertEqual(server.requests.map { $0.header("X-Page") }, ["yes", "yes"])
        XCTAssertEqual(events.count(of: .built), 2)
        XCTAssertEqual(events.count(of: .read), 2)
    }
}
