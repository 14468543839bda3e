#if os(Linux)
import RecordKit
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

/// Bodies with `Content-Encoding` (RFC 9110 section 8.4).
final class ContentCodingTests: TimedTestCase {
    private static let text = String(repeating: "hello world ", count: 2_000)
    /// The text above in gzip, with zlib's header, and without a header, by Python.
    private static let packed = Result {
        try python(
            """
            import sys, zlib
            for bits in (31, 15, -15):
                c = zlib.compressobj(9, zlib.DEFLATED, bits)
                data = c.compress(b"hello world " * 2000) + c.flush()
                print(data.hex())
            """
        ).split(separator: "\n").map { line in
            Data(
                stride(from: 0, to: line.utf8.count, by: 2).compactMap {
                    UInt8(line.dropFirst($0).prefix(2), radix: 16)
                })
        }
    }

    private static func python(_ script: String) throws -> String {
        String(decoding: try shell("python3 -c \"$1\"", script), as: UTF8.self)
    }

    /// Sends each byte of the body in a chunk of its own, or all at once.
    private func response(_ coding: String, _ body: Data, status: Int = 200, inBytes: Bool = false) -> StubResponse {
        if !inBytes { return .status(status, headers: ["Content-Encoding": coding], body: body) }
        return [
            .head(status, headers: ["Content-Encoding": coding, "Transfer-Encoding": "chunked"]),
            .send(body.reduce(into: Data()) { $0 += Data("1\r\n".utf8) + Data([$1]) + Data("\r\n".utf8) }),
            .send("0\r\n\r\n"),
        ]
    }

    private func outcomes(_ response: StubResponse) async throws -> (whole: String, streamed: String) {
        let server = try LoopbackServer { _ in response }
        let network = NetworkConfiguration(server.url)
        let whole = await network.outcome()
        var streamed = "200 "
        do throws(NetworkError) {
            let response = try await NetworkSession(network).value(for: Fetch()) { $0.delivery = .streamed }
            if let stream = response.stream {
                var reader = stream.makeAsyncIterator()
                while let chunk = try await reader.next() { streamed += String(decoding: chunk, as: UTF8.self) }
            }
        } catch {
            if case .badResponse = error { streamed = "bad response" } else { streamed = "\(error)" }
        }
        return (whole, streamed)
    }

    private func check(_ coding: String, _ body: Data, _ expected: String?, _ name: String) async throws {
        for inBytes in [false, true] {
            let (whole, streamed) = try await outcomes(response(coding, body, inBytes: inBytes))
            let wanted = expected.map { "200 \($0)" } ?? "bad response"
            XCTAssertTrue(whole == wanted, "\(name) \(inBytes): \(whole.prefix(80))")
            XCTAssertTrue(streamed == wanted, "\(name) \(inBytes), streamed: \(streamed.prefix(80))")
        }
    }

    func testWholeBodies() async throws {
        let packed = try Self.packed.get()
        let (gzip, zlib, raw) = (packed[0], packed[1], packed[2])
        let cases: [(String, String, Data, String)] = [
            ("gzip", "gzip", gzip, Self.text), ("another name and case", "X-GZip", gzip, Self.text),
            ("two members", "gzip", gzip + gzip, Self.text + Self.text),
            ("zeros after a member", "gzip", gzip + Data(count: 600), Self.text),
            ("deflate", "deflate", zlib, Self.text), ("deflate without a header", "deflate", raw, Self.text),
            ("zeros after deflate", "deflate", zlib + Data(count: 3), Self.text),
            ("identity", "identity", Data("abc".utf8), "abc"), ("two codings", "identity, gzip", gzip, Self.text),
            ("no body", "gzip", Data(), ""),
        ]
        for (name, coding, body, text) in cases { try await check(coding, body, text, name) }
        let twice = try Self.python(
            """
            import zlib
            d = b"hello world"
            for bits in (15, 31):
                c = zlib.compressobj(9, zlib.DEFLATED, bits); d = c.compress(d) + c.flush()
            print(d.hex())
            """)
        let bytes = Data(
            stride(from: 0, to: twice.utf8.count - 1, by: 2).compactMap {
                UInt8(twice.dropFirst($0).prefix(2), radix: 16)
            })
        try await check("deflate, gzip", bytes, "hello world", "deflate in gzip")
    }

    /// A part of the outer coding becomes megabytes. The reader is busy when it begins, and has read them at its end.
    func testAStreamOfTwoCodingsIsWholeWhateverTheReaderDoes() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "body")
        let count = 48 * 1_000_000
        _ = try Self.python(
            """
            import random, zlib
            r = random.Random(1)
            d = b''.join(bytes(2992) + r.randbytes(8) for i in range(\(count / 3_000)))
            for level in (1, 0):
                c = zlib.compressobj(level, zlib.DEFLATED, 31); d = c.compress(d) + c.flush()
            open('\(file.path)', 'wb').write(d)
            """)
        let body = try Data(contentsOf: file)
        let server = try LoopbackServer { _ in .status(200, headers: ["Content-Encoding": "gzip, gzip"], body: body) }
        let network = NetworkSession(NetworkConfiguration(server.url))
        for round in 0..<4 {
            let stream = try await network.stream(Fetch(options: RequestOptions(bufferLimit: 1 << 20)))
            var (received, number) = (0, 0)
            for try await chunk in stream {
                (received, number) = (received + chunk.count, number + 1)
                if number % 16 == 1 { XCTAssertEqual((0..<100_000).reduce(0, &+), 4_999_950_000) }
            }
            XCTAssertEqual(received, count, "\(round)")
        }
    }

    func testABodyThatEndsEarlyIsNotAWholeOne() async throws {
        let packed = try Self.packed.get()
        for (coding, body) in zip(["gzip", "deflate", "deflate"], packed) {
            for length in 1..<body.count {
                let server = try LoopbackServer { [response = response(coding, body.prefix(length))] _ in response }
                let outcome = await NetworkConfiguration(server.url).outcome()
                XCTAssertTrue(outcome == "bad response", "\(coding), \(length) of \(body.count): \(outcome.prefix(80))")
            }
            try await check(coding, body.prefix(body.count - 1), nil, coding)
        }
        try await check("gzip", packed[0] + packed[0].prefix(20), nil, "a second member that ends early")
    }

    func testABodyThatIsNotWhatItsCodingSays() async throws {
        let packed = try Self.packed.get()
        let cases: [(String, String, Data)] = [
            ("no gzip", "gzip", Data("hello world".utf8)), ("no deflate", "deflate", Data([0x07, 1, 2, 3])),
            ("more after a member", "gzip", packed[0] + Data("more".utf8)),
            ("more after deflate", "deflate", packed[1] + Data("more".utf8)),
            ("a wrong checksum", "gzip", packed[0].dropLast(8) + Data([1, 2, 3, 4]) + packed[0].suffix(4)),
        ]
        for (name, coding, body) in cases { try await check(coding, body, nil, name) }
    }

    /// The body is delivered as it is, with its field.
    func testCodingsThatAreNotKnown() async throws {
        let codings = ["utf-8", "aws-chunked", "binary", "br", "zstd", "gzip, utf-8", "gzip;q=1", "gzip, gzip, gzip"]
        for coding in codings {
            try await check(coding, Data("hello world".utf8), "hello world", coding)
            let server = try LoopbackServer { [response = response(coding, Data([1, 2]))] _ in response }
            let response = try await NetworkSession(NetworkConfiguration(server.url)).value(for: Fetch())
            XCTAssertEqual(response.headers["Content-Encoding"], coding)
            XCTAssertEqual(response.body, Data([1, 2]))
        }
    }

    func testTheStatusOfAnErrorWhoseBodyCannotBeDecoded() async throws {
        let packed = try Self.packed.get()
        let cases: [(String, Data, Data)] = [
            ("gzip", Data("not found".utf8), Data("not found".utf8)), ("gzip", packed[0], Data(Self.text.utf8)),
            ("gzip", packed[0].prefix(30), packed[0].prefix(30)), ("utf-8", Data("no".utf8), Data("no".utf8)),
        ]
        for (coding, body, expected) in cases {
            for isStreamed in [false, true] {
                let server = try LoopbackServer { [response = response(coding, body, status: 404)] _ in response }
                let network = NetworkConfiguration(server.url)
                for transport in [network.transport, URLSessionTransport()] {
                    var network = network
                    network.transport = transport
                    do throws(NetworkError) {
                        _ = try await NetworkSession(network).value(for: Fetch()) {
                            if isStreamed { $0.delivery = .streamed }
                        }
                        XCTFail("no error")
                    } catch {
                        let name = "\(coding) \(body.count) \(type(of: transport))"
                        XCTAssertEqual(error.response?.statusCode, 404, "\(name): \(error)")
                        if transport is CurlTransport { XCTAssertEqual(error.response?.body, expected, name) }
                    }
                }
            }
        }
    }

    func testTheLimitOfADecodedBody() async throws {
        let packed = try Self.packed.get()
        for status in [200, 404] {
            let server = try LoopbackServer { [response = response("gzip", packed[0], status: status)] _ in response }
            var network = NetworkConfiguration(server.url)
            network.options.sizeLimit = 10_000
            assertEqual(await network.outcome(), "too large: 10000")
        }
    }

    func testWhatIsAcceptedIsWhatIsDecoded() async throws {
        let server = try LoopbackServer { .text($0.headers("Accept-Encoding").joined(separator: "|")) }
        let network = NetworkConfiguration(server.url)
        assertEqual(await network.outcome(), "200 gzip, deflate")
        assertEqual(await network.outcome(Fetch(headers: ["accept-encoding": "br"])), "200 br")
    }
}
#endif
