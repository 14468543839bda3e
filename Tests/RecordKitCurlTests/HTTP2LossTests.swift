#if os(Linux)
import RecordKit
import RecordKitCurl
import RecordKitInterceptors
import TestSupport
import XCTest

/// Servers that refuse a request, reset its stream or close its connection before they respond.
final class HTTP2LossTests: TimedTestCase {
    override func setUpWithError() throws { try CurlTransport.skipUnless("7.80.0") }

    private typealias End = @Sendable (HTTP2Peer) -> Void

    private func front(_ server: ScriptServer) throws -> TLSFront {
        try TLSFront(server, Certificates.shared.get(), protocols: ["h2"])
    }

    private func network(_ front: TLSFront) throws -> NetworkConfiguration {
        let authority = try Certificates.shared.get().authority
        return NetworkConfiguration(try front.url) { $0.tls.authorities = authority }
    }

    private static func reset(_ code: UInt32) -> End { { $0.reset(code) } }

    private static let ends: [String: End] = [
        "FIN": { $0.close() },
        "GOAWAY with its stream, and FIN": {
            $0.goAway($0.stream); $0.close()
        },
        "GOAWAY with an earlier stream": { $0.goAway($0.stream - 1) },
        "GOAWAY with an earlier stream, and FIN": {
            $0.goAway($0.stream - 1); $0.close()
        },
        "REFUSED_STREAM": reset(7), "INTERNAL_ERROR": reset(2), "CANCEL": reset(8), "HTTP_1_1_REQUIRED": reset(13),
    ]

    /// A server whose response to the first request is one of the ends above, once it is ready.
    private final class Scene {
        struct State {
            var end: End = { _ in }
            var isReady = false
            var count = 0
        }

        let state: Kept<State>
        let front: TLSFront

        init() throws {
            let state = Kept(State())
            self.state = state
            let server = try HTTP2Peer.server { peer in
                peer.serve { peer, _ in
                    let now = state.change { state in
                        if state.isReady { state.count += 1 }
                        return state
                    }
                    if now.count == 1 { return now.end(peer) }
                    peer.writeHead([], HTTP2Peer.end)
                }
            }
            front = try TLSFront(server, Certificates.shared.get(), protocols: ["h2"])
        }
    }

    /// Returns the outcome of a request, and how many times the server got it.
    private func outcome(
        of fetch: Fetch, _ name: String, onKeptConnection isKept: Bool, _ scene: Scene
    ) async throws -> String {
        let end = try XCTUnwrap(Self.ends[name])
        scene.state.set(Scene.State(end: end, isReady: !isKept))
        let network = try NetworkSession(network(scene.front))
        if isKept {
            _ = await network.outcome()
            scene.state.change { $0.isReady = true }
        }
        return await network.outcome(fetch) + ", \(scene.state.now.count)"
    }

    func testAnIdempotentRequestOnAKeptConnectionIsSentAgain() async throws {
        let names = Self.ends.keys.filter { $0.contains("FIN") || $0.contains("GOAWAY") || $0.hasPrefix("REFUSED") }
        XCTAssertEqual(names.count, 5)
        let scene = try Scene()
        let requests: [Fetch] = [Fetch(), Fetch(method: .put, content: "abc"), Fetch(method: .delete)]
        for name in names {
            for fetch in requests {
                let text = try await outcome(of: fetch, name, onKeptConnection: true, scene)
                XCTAssertEqual(text, "200 , 2", "\(name) \(fetch.method)")
            }
        }
    }

    func testOtherRequestsAreNotSentAgain() async throws {
        let scene = try Scene()
        let requests: [Fetch] = [
            Fetch(method: .post), Fetch(method: .post, content: "abc"), Fetch(method: .patch, content: ""),
        ]
        for name in Self.ends.keys {
            for (index, fetch) in requests.enumerated() {
                for isKept in [false, true] {
                    let text = try await outcome(of: fetch, name, onKeptConnection: isKept, scene)
                    // Only a refusal on a new connection tells that the server hasn't processed the request.
                    let isUnsent = name == "REFUSED_STREAM" && !isKept
                    XCTAssertEqual(
                        text, isUnsent ? "lost unsent, 1" : "lost, 1", "\(name) \(index), \(isKept ? "kept" : "new")")
                }
            }
        }
    }

    func testLargeHeads() async throws {
        let long = String(repeating: "x", count: 50_000)
        let heads: [String: ([(String, String)], Int)] = [
            "a field of 33,000 bytes": ([("x", String(repeating: "x", count: 33_000))], 1),
            "two fields of 50,000 bytes": ([("x", long), ("y", long)], 2),
            "8,000 fields": ((0..<8_000).map { ("x-\($0)", "y") }, 8_000),
            "a field of 70,000 bytes": ([("x", String(repeating: "x", count: 70_000))], 0),
            "four fields of 50,000 bytes": ((0..<4).map { ("x-\($0)", long) }, 0),
            "12,000 fields": ((0..<12_000).map { ("x-\($0)", "y") }, 0),
        ]
        for (name, (fields, count)) in heads {
            let requests = Kept(0)
            let server = try HTTP2Peer.server { peer in
                peer.serve { peer, _ in
                    requests.change { $0 += 1 }
                    peer.writeHead(fields)
                    peer.write(.data, HTTP2Peer.end, Data("ok".utf8))
                }
            }
            let front = try front(server)
            var network = try network(front)
            network.options.timeout = .seconds(10)
            network.interceptors = [
                RetryInterceptor(backoff: Backoff(base: .milliseconds(1), shortestWait: .zero), budget: nil)
            ]
            do throws(NetworkError) {
                assertEqual(try await NetworkSession(network).value(for: Fetch()).headers.count, count, name)
            } catch {
                guard case .badResponse = error else { return XCTFail("\(name): \(error)") }
                XCTAssertEqual(count, 0, name)
            }
            XCTAssertEqual(requests.now, 1, name)
        }
    }

    func testARefusedRequestIsRetried() async throws {
        let count = Kept(0)
        let server = try HTTP2Peer.server { peer in
            peer.serve { peer, body in
                count.change { $0 += 1 }
                if count.now <= 2 { return Self.reset(7)(peer) }
                peer.writeHead()
                peer.write(.data, HTTP2Peer.end, body)
            }
        }
        let front = try front(server)
        var network = try network(front)
        network.interceptors = [
            RetryInterceptor(backoff: Backoff(base: .milliseconds(1), shortestWait: .zero), budget: nil)
        ]
        assertEqual(await network.outcome(Fetch(method: .post, content: "abc")), "200 abc")
        XCTAssertEqual(count.now, 3)
    }

    /// Sends requests that may not be processed twice to a server that refuses, resets and closes at random.
    ///
    /// A long run has 2,000 calls. Set `RECORDKIT_LOSSES` to their number.
    func testNoRequestIsProcessedTwice() async throws {
        let calls = Int(ProcessInfo.processInfo.environment["RECORDKIT_LOSSES"] ?? "") ?? 120
        let (processed, count) = (Kept<[String: Int]>([:]), Kept<UInt64>(0))
        let server = try HTTP2Peer.server { peer in
            peer.serve { peer, body in
                let id = String(decoding: body, as: UTF8.self)
                var random = SplitMix(
                    seed: count.change {
                        $0 += 1; return $0
                    })
                let (kind, isSeen) = (random.next() % 24, random.next() % 2 == 0)
                // A refused request is never processed.
                if kind == 0 { return Self.reset(7)(peer) }
                if kind == 1 {
                    peer.goAway(peer.stream - 1)
                    return peer.close()
                }
                if kind > 5 || isSeen { processed.change { $0[id, default: 0] += 1 } }
                switch kind {
                case 2: Self.reset(8)(peer)
                case 3: peer.close()
                case 4: Self.reset(13)(peer)
                case 5:
                    peer.goAway(peer.stream)
                    peer.close()
                default:
                    peer.writeHead()
                    peer.write(.data, HTTP2Peer.end, body)
                    // The next request may be on its way.
                    if kind == 6 { peer.close() }
                    if kind == 7 { peer.goAway(peer.stream) }
                }
            }
        }
        let front = try front(server)
        var configuration = try network(front)
        configuration.interceptors = [
            RetryInterceptor(backoff: Backoff(base: .milliseconds(1), shortestWait: .zero), budget: nil)
        ]
        let network = NetworkSession(configuration)
        let outcomes = await withTaskGroup(of: [String: String].self) { group in
            for task in 0..<8 {
                group.addTask {
                    var outcomes: [String: String] = [:]
                    for number in 0..<calls / 8 {
                        let id = "\(task)-\(number)"
                        outcomes[id] = await network.outcome(Fetch(method: .post, content: id))
                    }
                    return outcomes
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
        let counts = processed.now
        XCTAssertEqual(counts.values.filter { $0 > 1 }, [])
        for (id, text) in outcomes {
            if text.hasPrefix("200") {
                XCTAssertEqual(text, "200 \(id)")
                XCTAssertEqual(counts[id], 1, id)
            }
            if text.hasSuffix("unsent") { XCTAssertNil(counts[id], id) }
        }
        let kinds = Dictionary(grouping: outcomes.values) { $0.prefix(3) }.mapValues(\.count)
        XCTAssertGreaterThan(kinds["200"] ?? 0, calls / 3, "\(kinds)")
        XCTAssertGreaterThan(kinds["los"] ?? 0, calls / 20, "\(kinds)")
    }
}
#endif
