import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class RouterExampleTests: TimedTestCase {
    func testParametersGoWhereTheyBelong() async throws {
        let server = try LoopbackServer { request in
            request.method == .post
                ? .status(201)
                : .json(#"{"page": 2, "results": [{"id": 7, "title": "The Placeholder", "vote_average": 8.5}]}"#)
        }
        let network = NetworkConfiguration(
            environment: NetworkEnvironment("\(server.url)/3"),
            interceptors: [
                AuthorizationInterceptor(.query("api_key", "s3cret"), for: .origin(server.url.absoluteString))
            ])
        let lists = NetworkManager<Movies.Lists>(network)
        let ratings = NetworkManager<Movies.Ratings>(network)

        let page = try await lists.value(for: .popular(page: 2))
        XCTAssertEqual(page.movies, [Movies.Movie(id: 7, title: "The Placeholder", rating: 8.5)])
        let filter = Movies.Filter(releasedAfter: Date(timeIntervalSince1970: 0), withGenres: [1, 2])
        _ = try await lists.value(for: .discover(filter))
        try await ratings.value(for: .rate(movie: 7, stars: 8.5, session: "abc"))
        try await ratings.value(for: .logIn(user: "ada", password: "a+b c"))

        XCTAssertEqual(
            server.requests.map(\.target),
            [
                "/3/movie/popular?page=2&api_key=s3cret",
                "/3/discover/movie?released_after=1970-01-01&with_genres=1,2&include_video=false&api_key=s3cret",
                "/3/movie/7/rating?api_key=s3cret", "/3/session?api_key=s3cret",
            ])
        XCTAssertEqual(server.requests[2].text, #"{"value":8.5}"#)
        XCTAssertEqual(server.requests[2].header("Content-Type"), "application/json")
        XCTAssertEqual(server.requests[2].header("Session-ID"), "abc")
        XCTAssertEqual(server.requests[3].text, "username=ada&password=a%2Bb+c")
        XCTAssertEqual(server.requests[3].header("Content-Type"), "application/x-www-form-urlencoded")
    }

    func testTheEnvironmentIsChosenByDotNotation() throws {
        let request = Movies.Lists.upcoming
        let urls = try [NetworkEnvironment.moviesQA, .moviesStaging, .moviesProduction].map {
            try request.call(in: $0).url.absoluteString
        }
        XCTAssertEqual(
            urls,
            [
                "https://qa.movies.example/3/movie/upcoming", "https://staging.movies.example/3/movie/upcoming",
                "https://movies.example/3/movie/upcoming",
            ])
    }

    func testEachStatusHasItsOutcome() async throws {
        let table: [(Int, String, String)] = [
            (401, "", "authentication"), (403, "", "authentication"), (404, "", "badRequest"), (426, "", "outdated"),
            (500, "", "failed"), (200, "", "noData"), (200, "<html>", "unableToDecode"),
        ]
        for (status, body, expected) in table {
            let network = NetworkSession(
                NetworkConfiguration(
                    environment: .moviesQA, transport: CannedTransport(status: status, body: body)))
            let error = await failure { () async throws(Movies.Failure) in
                try await network.value(for: Movies.Lists.upcoming)
            }
            XCTAssertTrue(
                "\(String(describing: error))".contains(".\(expected)"), "\(status): \(String(describing: error))")
        }
    }

    func testASecondRequestLeavesTheFirstOneAlone() async throws {
        let gate = ResponseGate()
        let server = try LoopbackServer { request in
            .json(#"{"page": 1, "results": []}"#).after(
                request.target.contains("popular") ? .wait(gate) : .delay(.zero))
        }
        let lists = NetworkManager<Movies.Lists>(NetworkConfiguration(server.url))
        let (outcomes, continuation) = AsyncStream.makeStream(of: (name: String, isSuccess: Bool).self)
        func start(_ name: String, _ request: Movies.Lists) -> NetworkTask {
            lists.send(request) { continuation.yield((name, (try? $0.get()) != nil)) }
        }
        let task = start("first", .popular(page: 1))
        _ = try await server.request(at: 0)
        _ = start("second", .upcoming)

        var iterator = outcomes.makeAsyncIterator()
        let second = await iterator.next()
        task.cancel()
        let first = await iterator.next()
        gate.open()

        XCTAssertEqual(second?.name, "second")
        XCTAssertEqual(second?.isSuccess, true)
        XCTAssertEqual(first?.name, "first")
        XCTAssertEqual(first?.isSuccess, false)
    }

    func testACompletionGetsItsOutcomeThroughInterceptorsAndAnotherTransport() async {
        let canned = CannedTransport(status: 401, body: "")
        let book = LogBook()
        let network = NetworkConfiguration(
            environment: .moviesStaging, transport: canned,
            interceptors: [
                RetryInterceptor(),
                AuthorizationInterceptor(.query("api_key", "s3cret"), for: .domain("movies.example")),
                LoggingInterceptor(to: book),
            ])
        let ratings = NetworkManager<Movies.Ratings>(network)

        let result = await withCheckedContinuation { continuation in
            ratings.send(.rate(movie: 7, stars: 8.5, session: "abc")) { continuation.resume(returning: $0) }
        }

        guard case .failure(.authentication) = result else { return XCTFail("\(result)") }
        XCTAssertEqual(
            canned.calls.map(\.url.absoluteString),
            ["https://staging.movies.example/3/movie/7/rating?api_key=s3cret"])
        XCTAssertEqual(book.messages.count, 1)
        XCTAssertTrue(book.messages[0].contains("?api_key=redacted: 401, "), book.messages[0])
    }
}
