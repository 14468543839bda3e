import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// A response replaces a file only if its body is certainly the whole file, over both transports.
final class DownloadWholeFileTests: TimedTestCase {
    private let ask = Ask<Data>(path: "file.bin")
    private let old = Data("old".utf8)

    private enum Outcome: Equatable {
        case whole
        case notWhole(Int)
        case badResponse
        case lost
        case other(String)
    }

    /// A response, and what a download makes of it.
    private struct Row {
        let name: String
        let answer: StubResponse
        let outcome: Outcome
        /// The `Range` fields of the requests.
        let ranges: [String?]
        /// The size of the partial file that remains.
        let kept: Int?

        init(
            _ name: String, _ answer: StubResponse, _ outcome: Outcome, _ ranges: [String?] = [nil, "bytes=2000-"],
            kept: Int? = nil
        ) {
            (self.name, self.answer, self.outcome, self.ranges, self.kept) = (name, answer, outcome, ranges, kept)
        }
    }

    /// Downloads a file in place of an old one, and compares the outcome, over each transport.
    ///
    /// - Parameter served: Prepares the file on the server.
    private func check(
        _ row: Row, _ served: (ServedFile) -> Void, _ file: StaticString = #filePath, _ line: UInt = #line
    )
        async throws
    {
        for transport in [URLSessionTransport(), HostileBehavior.curl] as [any NetworkTransport] {
            let (source, local) = (ServedFile(), try Downloaded())
            served(source)
            let body = source.body
            let server = try source.server()
            try old.write(to: local.target)
            let network = NetworkSession(NetworkConfiguration(server.url, transport: transport))
            let error = await local.failure(of: ask, network)
            let name = "\(row.name) over \(type(of: transport))"
            XCTAssertEqual(outcome(error), row.outcome, name, file: file, line: line)
            XCTAssertEqual(local.content, row.outcome == .whole ? body : old, name, file: file, line: line)
            XCTAssertEqual(server.requests.map { $0.header("Range") }, row.ranges, name, file: file, line: line)
            let kept = try? Data(contentsOf: local.partial)
            XCTAssertEqual(kept?.count, row.kept, name, file: file, line: line)
            if let kept { XCTAssertEqual(kept, body.prefix(kept.count), name, file: file, line: line) }
        }
    }

    private func outcome(_ error: NetworkError?) -> Outcome {
        guard let error else { return .whole }
        switch error {
        case .file(let failure):
            if case .notTheWholeFile(let status) = failure.reason { return .notWhole(status) }
            return .other("\(failure)")
        case .badResponse: return .badResponse
        case .connection(let failure) where failure.kind == .lost: return .lost
        default: return .other("\(error)")
        }
    }

    /// Returns a response with a tag, with a range or without.
    private func part(
        _ status: Int, _ range: String, tag: String? = "\"1\"", _ body: Data
    ) -> StubResponse { .status(status, headers: ["ETag": tag, "Content-Range": range], body: body) }

    /// Returns a response whose range is the whole file, in chunks.
    private func unmeasured(_ status: Int, _ body: Data) -> StubResponse {
        let range = "bytes 0-4999/5000"
        let headers: HTTPHeaders = ["ETag": "\"1\"", "Content-Range": range, "Transfer-Encoding": "chunked"]
        return [.head(status, headers: headers), .chunk(body), .lastChunk]
    }

    private func whole(
        _ status: Int, tag: String? = "\"1\"", _ body: Data, chunked: Bool = false
    ) -> StubResponse {
        var headers: HTTPHeaders = ["ETag": tag]
        if !chunked { return .status(status, headers: headers, body: body) }
        headers["Transfer-Encoding"] = "chunked"
        return [.head(status, headers: headers), .chunk(body), .lastChunk]
    }

    /// What a server sends in place of the rest of an interrupted file.
    func testAfterAnInterruption() async throws {
        let body = Data.noise(5000)
        let (rest, json) = (body[2000...], Data("{\"state\":\"busy\"}".utf8))
        let anew: [String?] = [nil, "bytes=2000-", nil]
        let rows = [
            Row("the rest, and its range", part(200, "bytes 2000-4999/5000", rest), .whole, anew),
            Row("of another file", part(200, "bytes 2000-4999/5000", tag: "\"2\"", rest), .whole, anew),
            Row("a range that can't be read", part(200, "bytes 2000-4999/*", rest), .whole, anew),
            Row("less than its range", part(200, "bytes 0-4999/5000", rest), .whole, anew),
            Row("the whole, and its range", part(200, "bytes 0-4999/5000", body), .whole),
            Row("the rest without its range", whole(200, rest), .notWhole(200)),
            Row("the rest without its length", whole(200, rest, chunked: true), .lost),
            Row("the whole without its length", whole(200, body, chunked: true), .whole),
            Row("more than the whole", whole(200, body + json, chunked: true), .badResponse),
            Row(
                "more than its range",
                [
                    .head(
                        206,
                        headers: [
                            "ETag": "\"1\"", "Content-Range": "bytes 2000-4999/5000", "Transfer-Encoding": "chunked",
                        ]), .chunk(rest + json), .lastChunk,
                ], .badResponse),
            Row("a part of unknown length", whole(200, rest, chunked: true).cut(after: 1000), .lost),
            Row("203", part(203, "bytes 2000-4999/5000", rest), .notWhole(203), kept: 2000),
            Row("202", whole(202, tag: nil, json), .notWhole(202), kept: 2000),
            Row("204", [.head(204, headers: [:])], .notWhole(204), kept: 2000),
            Row("205", whole(205, tag: nil, Data()), .notWhole(205), kept: 2000),
            Row("226", whole(226, rest), .notWhole(226), kept: 2000),
        ]
        for row in rows {
            try await check(row) { file in
                file.change { state in
                    state.body = body
                    state.cuts = [2000]
                    state.answers = [row.answer]
                }
            }
        }
    }

    /// What a server sends to a request for the whole file.
    func testTheFirstResponse() async throws {
        let body = Data.noise(5000)
        let head = body.prefix(3000)
        let rows = [
            Row("a part with 200", part(200, "bytes 0-2999/5000", head), .notWhole(200), [nil]),
            Row("a range that can't be read", part(200, "bytes 0-2999/*", head), .notWhole(200), [nil]),
            Row("a part with 206", part(206, "bytes 0-2999/5000", head), .badResponse, [nil]),
            Row("206 without a range", whole(206, head), .badResponse, [nil]),
            Row("all with 206", part(206, "bytes 0-4999/5000", body), .whole, [nil]),
            Row("less than all with 206", part(206, "bytes 0-4999/5000", head), .badResponse, [nil]),
            Row(
                "all with 206, cut", part(206, "bytes 0-4999/5000", body).cut(after: 3000), .whole,
                [nil, "bytes=3000-"]),
            Row("all with its range, without a length", unmeasured(200, body), .whole, [nil]),
            Row("all with 206, without a length", unmeasured(206, body), .whole, [nil]),
            Row("less than its range, without a length", unmeasured(200, head), .whole, [nil, "bytes=3000-"]),
            Row("201", whole(201, body), .whole, [nil]),
            Row("203", whole(203, body), .whole, [nil]),
            Row("203 with a range", part(203, "bytes 0-4999/5000", body), .notWhole(203), [nil]),
            Row("202", whole(202, head), .notWhole(202), [nil]),
            Row("204", [.head(204, headers: [:])], .notWhole(204), [nil]),
            Row("205", whole(205, Data()), .notWhole(205), [nil]),
        ]
        for row in rows {
            try await check(row) { file in
                file.change { state in
                    state.body = body
                    state.first = row.answer
                }
            }
        }
    }

    func testTheErrorSaysWhatToDo() async throws {
        let local = try Downloaded()
        let server = try LoopbackServer { _ in .json("{}", status: 202) }
        let network = NetworkSession(NetworkConfiguration(server.url))
        let error = await local.failure(of: ask, network)
        XCTAssertEqual(
            error?.description,
            "The file file.bin could not be written: the response with status 202 does not certainly contain the whole "
                + "file; check what the server sends, or call again later.")
        XCTAssertEqual(local.names, [])
    }
}
