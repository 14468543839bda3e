import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKit

final class SizeLimitTests: TimedTestCase {
    /// The connection is closed long before the server has sent its whole body.
    func testATransferPastTheLimitIsStoppedWhileItArrives() async throws {
        for (limit, piece, count) in [(100_000, Data(count: 1 << 20), 200), (1000, Data(count: 1001), 1)] {
            for way in [HostileBehavior.Way.value, .dataTask, .curl] {
                let server = try LoopbackServer { _ in
                    let head = StubResponse.Step.head(200, headers: ["Transfer-Encoding": "chunked"])
                    return StubResponse([head] + (0..<count).map { _ in .chunk(piece) } + [.hold])
                }
                let configuration = NetworkConfiguration(server.url, options: RequestOptions(sizeLimit: limit))
                assertEqual(await way.outcome(configuration), "too large: \(limit)", "\(way)")
                try await server.waitForDisconnection(of: 0)
            }
        }
    }

    func testATransferThatAnnouncesMoreThanTheLimitIsStoppedAtItsHead() async throws {
        for way in [HostileBehavior.Way.value, .dataTask, .curl] {
            let server = try LoopbackServer { _ in [.head(200, headers: ["Content-Length": "1001"]), .hold] }
            let configuration = NetworkConfiguration(server.url, options: RequestOptions(sizeLimit: 1000))
            assertEqual(await way.outcome(configuration), "too large: 1000", "\(way)")
            try await server.waitForDisconnection(of: 0)
        }
    }

    /// A transport of the app may return a body as data.
    func testABodyOfTheLimitIsTaken() async throws {
        let network = NetworkConfiguration(CannedTransport(body: "abcdef"))
        for (limit, outcome) in [(6, "200 abcdef"), (5, "too large: 5")] {
            let ask = Ask<NetworkResponse>(options: RequestOptions(sizeLimit: limit))
            assertEqual(await HostileBehavior.Way.value.outcome(network, ask), outcome)
        }
    }

    func testACallWhoseOptionsSayNothingHasTheDefaultLimit() async throws {
        let server = try LoopbackServer { _ in [.head(200, headers: ["Content-Length": "67108865"]), .hold] }
        let call = NetworkCall(url: server.url, options: RequestOptions())
        let error = await networkError { try await URLSessionTransport().send(call) }
        guard case .tooLarge(let failure) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertEqual(failure.limit, 64 << 20)
    }

    #if os(Linux)
    /// 256 MB of zeros in 1.1 MB of gzip. The test runs in a process of its own, whose memory shows what was kept.
    func testABombOfGzipFillsNothing() throws {
        if ChildProcess.task != nil { return }
        let child = try ChildProcess.run("RecordKitTests.SizeLimitTests/testInTheChildABombIsFetched", task: "bomb")
        XCTAssertEqual(child.status, 0, child.output)
        let line = child.output.split(separator: "\n").first { $0.contains("peak after") }
        let peak = try XCTUnwrap(line?.split(separator: " ").last.flatMap { Int($0) }, child.output)
        XCTAssertLessThan(
            peak, ProcessFigures.areSanitized ? .max : 200_000, "KB at most, after a body that decodes to 256 MB")
    }

    func testInTheChildABombIsFetched() async throws {
        guard ChildProcess.task == "bomb" else { return }
        let bomb = try shell("head -c 268435456 /dev/zero | gzip -c")
        for way in [HostileBehavior.Way.value, .dataTask] {
            let server = try LoopbackServer(responses: [.status(200, headers: ["Content-Encoding": "gzip"], body: bomb)]
            )
            let configuration = NetworkConfiguration(server.url, options: RequestOptions(sizeLimit: 4 << 20))
            assertEqual(await way.outcome(configuration), "too large: 4194304", "\(way)")
        }
        print("peak after the bomb, in KB: \(ProcessFigures.now.peak)")
    }
    #endif

    func testTheLimitCountsWhatIsDecodedNotWhatIsSent() async throws {
        let body = try shell("printf hello | gzip -c")
        XCTAssertGreaterThan(body.count, 5)
        let server = try LoopbackServer(responses: [.status(200, headers: ["Content-Encoding": "gzip"], body: body)])
        for (limit, expected) in [(5, "200 hello"), (4, "too large: 4")] {
            for way in HostileBehavior.Way.allCases {
                let configuration = NetworkConfiguration(server.url, options: RequestOptions(sizeLimit: limit))
                assertEqual(await way.outcome(configuration), expected, "\(way)")
            }
        }
    }

    /// URLSession accepts a gzip body that ends early. A part of an array is never read as the array, because its
    /// closing bracket is missing.
    func testAGzipBodyThatEndsEarlyIsNeverAPartOfTheValue() async throws {
        let items = (0..<40).map { Item(sku: "LP-\($0 * 7919 % 1000)", quantity: $0) }
        let folder = try TemporaryFolder()
        let file = try folder.file("list", JSONEncoder().encode(items))
        let body = try shell("gzip -nc \"$1\"", file.path)
        let server = try LoopbackServer { request in
            let count = Int(request.target.split(separator: "=").last ?? "") ?? 0
            return .status(200, headers: ["Content-Encoding": "gzip"], body: body.prefix(count))
        }
        let manager = NetworkManager<List>(NetworkConfiguration(server.url))
        var refused = 0
        for count in 0...body.count {
            do throws(NetworkError) {
                let value = try await manager.value(for: List(query: ["cut": count]))
                XCTAssertEqual(value, items, "cut after \(count) of \(body.count) bytes")
            } catch {
                refused += 1
                switch error {
                case .badResponse, .connection, .decoding: break
                default: XCTFail("\(error)")
                }
            }
        }
        // The value is complete only after its last byte. Then only the checksum is missing.
        XCTAssertGreaterThan(refused, body.count - 20)
    }

    private struct List: NetworkRequest {
        typealias ValueType = [Item]
        typealias ErrorType = NetworkError

        var path: RequestPath { "ask" }
        var query: RequestQuery
    }
}
