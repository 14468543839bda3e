import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// An interrupted download continues where it stopped, and a file never contains parts of two versions.
final class DownloadResumeTests: TimedTestCase {
    private let ask = Ask<Data>(path: "file.bin")
    private let unavailable = StubResponse.status(503)

    /// Downloads a file whose response is cut, and whose rest is refused. Returns the local file.
    private func interrupted(_ file: ServedFile, at cut: Int, _ server: LoopbackServer) async throws -> Downloaded {
        let local = try Downloaded()
        file.change { state in
            state.cuts = [cut]
            state.answers = [unavailable]
        }
        let network = NetworkSession(NetworkConfiguration(server.url))
        let error = await local.failure(of: ask, network)
        XCTAssertNotNil(error, "cut at \(cut)")
        XCTAssertNil(local.content)
        file.change { $0.answers = [] }
        return local
    }

    func testACutAtEveryTenthIsContinuedInTheSameCall() async throws {
        for cut in stride(from: 500, to: 5000, by: 500) {
            let (file, local) = (ServedFile(cuts: [cut]), try Downloaded())
            let server = try file.server()
            let downloaded = try await NetworkManager(NetworkConfiguration(server.url)).download(ask, to: local.target)
            XCTAssertEqual(local.content, file.body)
            XCTAssertEqual(local.names, ["file.bin"])
            XCTAssertEqual(downloaded.response.statusCode, 206)
            XCTAssertEqual(downloaded.resumedBytes, 0)
            XCTAssertEqual(server.requests.map { $0.header("Range") }, [nil, "bytes=\(cut)-"])
            XCTAssertEqual(server.requests.map { $0.header("If-Range") }, [nil, "\"1\""])
        }
    }

    func testNoBytesAreResumedIfTheDownloadStartsOverLater() async throws {
        let (file, local) = (ServedFile(), try Downloaded())
        let requests = Kept(0)
        file.change { $0.cuts = [1000, 2000] }
        let server = try LoopbackServer { [unavailable] request in
            let number = requests.next() + 1
            if number == 2 { return unavailable }
            if number == 4 { file.becomeNew() }
            return file.answer(request)
        }
        let network = NetworkSession(NetworkConfiguration(server.url))
        let error = await local.failure(of: ask, network)
        XCTAssertNotNil(error)
        let downloaded = try await NetworkManager(network).download(ask, to: local.target)
        XCTAssertEqual(server.requests.map { $0.header("Range") }, [nil, "bytes=1000-", "bytes=1000-", "bytes=2000-"])
        XCTAssertEqual(local.content, file.body)
        XCTAssertEqual(downloaded.resumedBytes, 0)
    }

    func testAServerThatFallsSilent() async throws {
        let (file, local, clock) = (ServedFile(), try Downloaded(), ManualClock())
        let server = try LoopbackServer { request in
            let answer = file.answer(request)
            return request.header("Range") == nil ? answer.cut(after: 2000, then: .hold) : answer
        }
        let network = NetworkConfiguration(server.url, options: RequestOptions(timeout: .seconds(10)), clock: clock)
        let download = Task { [network, ask, target = local.target] in
            await networkError { try await NetworkManager(network).download(ask, to: target) }
        }
        await until { (try? Data(contentsOf: local.partial))?.count == 2000 }
        // The timer of the wait for the next chunk.
        await until { clock.timerCount == 1 }
        clock.advance(by: .seconds(10))
        assertNil(await download.value)
        XCTAssertEqual(local.content, file.body)
        XCTAssertEqual(server.requests.map { $0.header("Range") }, [nil, "bytes=2000-"])
    }

    func testACallGivesUp() async throws {
        let (file, local) = (ServedFile(), try Downloaded())
        // Each response brings a byte.
        file.change { $0.cuts = Array(1...100) }
        let (server, network) = try file.serve()
        assertEqual(await local.failure(of: ask, network)?.isTransient, true)
        XCTAssertEqual(server.requests.count, 11)
        // A response that brings nothing is the last.
        file.change { $0.cuts = [20, 20, 30] }
        _ = await local.failure(of: ask, network)
        XCTAssertEqual(server.requests.count, 13)
        file.change { $0.cuts = [] }
        assertEqual(try await NetworkManager(network).download(ask, to: local.target).resumedBytes, 20)
        XCTAssertEqual(local.content, file.body)
    }

    func testACutAtEveryTenthIsContinuedByALaterCall() async throws {
        for cut in stride(from: 0, to: 5000, by: 500) {
            let file = ServedFile()
            let server = try file.server()
            let local = try await interrupted(file, at: cut, server)
            XCTAssertEqual(local.names, cut == 0 ? [] : ["file.bin.partial", "file.bin.partial.json"])

            let downloaded = try await NetworkManager(NetworkConfiguration(server.url)).download(ask, to: local.target)

            XCTAssertEqual(downloaded.resumedBytes, cut)
            XCTAssertEqual(local.content, file.body)
            XCTAssertEqual(local.names, ["file.bin"])
        }
    }

    func testAnotherURLAndACallThatStartsOver() async throws {
        let file = ServedFile()
        let server = try file.server()
        let local = try await interrupted(file, at: 2000, server)
        let other = NetworkSession(NetworkConfiguration(server.url))

        // Another URL, with the same version of another length.
        file.change { $0.body = .noise(3000) }
        let ofOther = try await NetworkManager(other).download(Ask<Data>(path: "other.bin"), to: local.target)
        XCTAssertEqual(ofOther.resumedBytes, 0)
        XCTAssertEqual(local.content, file.body)

        // A call that starts over.
        let second = try await interrupted(file, at: 2000, server)
        assertEqual(try await NetworkManager(other).download(ask, to: second.target, resuming: false).resumedBytes, 0)
        XCTAssertNil(server.requests.last?.header("Range"))
        XCTAssertEqual(second.content, file.body)
    }

    func testTheURLIsNotStored() async throws {
        let file = ServedFile()
        let server = try file.server()
        let network = NetworkSession(NetworkConfiguration(server.url))
        let local = try Downloaded()
        file.change { $0.cuts = [100, 100] }
        let secret = Ask<Data>(path: "file.bin", query: ["token": "s3cret"])
        _ = await local.failure(of: secret, network)
        let json = try String(contentsOf: local.sidecar, encoding: .utf8)
        XCTAssertTrue(json.contains("eTag"), json)
        XCTAssertFalse(json.contains("s3cret") || json.contains("127.0.0.1"), json)
    }

    // MARK: Changed resources

    func testAFileThatChangedMeanwhile() async throws {
        func part(_ headers: HTTPHeaders) -> StubResponse {
            .status(206, headers: headers, body: Data(repeating: 7, count: 3000))
        }
        let answers: [(String, StubResponse?)] = [
            ("200", nil), ("412", .status(412)), ("416", .status(416, headers: ["Content-Range": "bytes */10"])),
            ("another tag", part(["ETag": "\"2\"", "Content-Range": "bytes 2000-4999/5000"])),
            ("the weak tag", part(["ETag": "W/\"1\"", "Content-Range": "bytes 2000-4999/5000"])),
            ("no tag", part(["Content-Range": "bytes 2000-4999/5000"])),
            ("no range", part(["ETag": "\"1\""])),
            ("an earlier start", part(["ETag": "\"1\"", "Content-Range": "bytes 1999-4998/5000"])),
            ("another length", part(["ETag": "\"1\"", "Content-Range": "bytes 2000-4999/6000"])),
            ("no length", part(["ETag": "\"1\"", "Content-Range": "bytes 2000-4999/*"])),
            ("another unit", part(["ETag": "\"1\"", "Content-Range": "rows 2000-4999/5000"])),
            ("several ranges", part(["ETag": "\"1\"", "Content-Type": "multipart/byteranges; boundary=x"])),
            (
                "an encoding",
                part(["ETag": "\"1\"", "Content-Range": "bytes 2000-4999/5000", "Content-Encoding": "identity"])
            ),
        ]
        for (name, answer) in answers {
            let file = ServedFile()
            let server = try file.server()
            let local = try await interrupted(file, at: 2000, server)
            file.becomeNew()
            file.change { $0.answers = answer.map { [$0] } ?? [] }
            // A slot that isn't given back would keep the second request waiting.
            let network = NetworkConfiguration(server.url, transport: URLSessionTransport(exchangesPerHost: 1))

            let downloaded = try await NetworkManager(network).download(ask, to: local.target)

            XCTAssertEqual(downloaded.resumedBytes, 0, name)
            XCTAssertEqual(local.content, file.body, name)
            XCTAssertEqual(local.names, ["file.bin"], name)
            XCTAssertEqual(server.requests.last?.header("Range") == nil, answer != nil, name)
        }
    }

    func testAFileThatChangesDuringACall() async throws {
        let (file, local) = (ServedFile(cuts: [3000, 2000]), try Downloaded())
        let server = try LoopbackServer { request in
            if request.header("Range") == "bytes=3000-" { file.becomeNew() }
            return file.answer(request)
        }
        let downloaded = try await NetworkManager(NetworkConfiguration(server.url)).download(ask, to: local.target)
        XCTAssertEqual(local.content, file.body)
        XCTAssertEqual(downloaded.response.headers["ETag"], "\"2\"")
        XCTAssertEqual(server.requests.map { $0.header("If-Range") }, [nil, "\"1\"", "\"2\""])
    }

    func testWhichVersionsCanBeContinued() async throws {
        let (old, date) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:50:37 GMT")
        let cases: [(HTTPHeaders, String?)] = [
            (["ETag": "\"a, b\""], "\"a, b\""), (["ETag": "W/\"1\""], nil),
            (["ETag": "W/\"1\"", "Last-Modified": old, "Date": date], nil), (["ETag": "\"1\u{7F}\""], nil),
            (["Last-Modified": old, "Date": date], old),
            (["Last-Modified": old, "Date": "Sun, 06 Nov 1994 08:50:36 GMT"], nil), (["Last-Modified": old], nil),
            (["Last-Modified": "yesterday", "Date": date], nil), (["ETag": "\"1\"", "Accept-Ranges": "none"], nil),
            (["ETag": "\"1\"", "Accept-Ranges": "bytes"], "\"1\""),
            (["ETag": "\"1\"", "Content-Encoding": "identity"], nil), ([:], nil),
        ]
        for (headers, validator) in cases {
            let (file, local) = (ServedFile(.noise(5000), headers), try Downloaded())
            file.change { $0.cuts = [2000, 2000] }
            let (server, network) = try file.serve()
            let error = await local.failure(of: ask, network)
            XCTAssertNotNil(error, "\(headers)")
            XCTAssertEqual(server.requests.last?.header("If-Range"), validator, "\(headers)")
            XCTAssertEqual(local.names.count, validator == nil ? 0 : 2, "\(headers)")
            file.change { $0.cuts = [] }
            let downloaded = try await NetworkManager(network).download(ask, to: local.target)
            XCTAssertEqual(downloaded.resumedBytes, validator == nil ? 0 : 2000, "\(headers)")
            XCTAssertEqual(local.content, file.body, "\(headers)")
        }
    }

    func testAPOSTStartsOver() async throws {
        let (file, local) = (ServedFile(cuts: [2000]), try Downloaded())
        let (server, network) = try file.serve()
        let post = Ask<Data>(path: "file.bin", method: .post, content: "query")
        assertEqual(await local.failure(of: post, network)?.isTransient, true)
        XCTAssertEqual(local.names, [])
        XCTAssertEqual(server.requests.count, 1)
        _ = try await NetworkManager(network).download(post, to: local.target)
        XCTAssertEqual(local.content, file.body)
    }

    // MARK: What an earlier process has left

    func testACompletePartialFileIsAskedForOneByte() async throws {
        let file = ServedFile()
        let server = try file.server()
        let local = try await interrupted(file, at: 2000, server)
        try file.body.write(to: local.partial)
        let downloaded = try await NetworkManager(NetworkConfiguration(server.url)).download(ask, to: local.target)
        XCTAssertEqual(server.requests.last?.header("Range"), "bytes=4999-")
        XCTAssertEqual(downloaded.resumedBytes, 4999)
        XCTAssertEqual(local.content, file.body)
    }

    func testWhatCanBeContinuedIsTold() async throws {
        let file = ServedFile()
        let (server, network) = try file.serve()
        XCTAssertNil(PartialDownload(of: try Downloaded().target))
        let local = try await interrupted(file, at: 2000, server)
        let left = try XCTUnwrap(PartialDownload(of: local.target))
        XCTAssertEqual([left.size, left.total], [2000, 5000])
        XCTAssertEqual("\(left)", "2000 of 5000 bytes are stored, and the next download continues after them.")
        _ = try await NetworkManager(network).download(ask, to: local.target)
        XCTAssertNil(PartialDownload(of: local.target))
        // Without a strong validator, the bytes can't be continued.
        let weak = ServedFile(.noise(5000), ["ETag": "W/\"1\""])
        let other = try await interrupted(weak, at: 2000, weak.server())
        XCTAssertNil(PartialDownload(of: other.target))
    }

    /// In a folder that others can write to, another user can leave the files of a download. A second link stands for
    /// another owner, which only root can give to a file.
    func testFilesOfAnotherUserAreNotUsed() async throws {
        func give(_ url: URL) throws {
            let owned = geteuid() == 0 && chown(url.path, 65534, 65534) == 0
            if !owned { try FileManager.default.linkItem(at: url, to: url.appendingPathExtension("link")) }
        }
        for planted in ["partial", "empty", "sidecar", "link"] {
            let file = ServedFile()
            let (server, network) = try file.serve()
            let local = try await interrupted(file, at: 2000, server)
            switch planted {
            case "partial": try give(local.partial)
            case "empty":
                try Data().write(to: local.partial)
                try give(local.partial)
            case "sidecar": try give(local.sidecar)
            default:
                try FileManager.default.linkItem(at: local.partial, to: local.folder.url.appending(path: "other"))
            }
            let writer = try FileHandle(forUpdating: local.partial)
            assertEqual(try await NetworkManager(network).download(ask, to: local.target).resumedBytes, 0, planted)
            if planted != "sidecar" {
                try writer.seek(toOffset: 0)
                try writer.write(contentsOf: Data("EVIL".utf8))
            }
            XCTAssertEqual(local.content, file.body, planted)
        }
    }

    func testADamagedSidecar() async throws {
        let file = ServedFile()
        let (server, network) = try file.serve()
        let local = try await interrupted(file, at: 2000, server)
        let (json, partial) = (try Data(contentsOf: local.sidecar), try Data(contentsOf: local.partial))
        let damaged = (0..<json.count).map { json.prefix($0) } + [Data("{}".utf8), Data("[]".utf8), .noise(100)]
        for sidecar in damaged {
            try sidecar.write(to: local.sidecar)
            try partial.write(to: local.partial)
            let downloaded = try await NetworkManager(network).download(ask, to: local.target)
            XCTAssertEqual(downloaded.resumedBytes, 0, "\(sidecar.count) bytes")
            XCTAssertEqual(local.content, file.body)
            XCTAssertEqual(local.names, ["file.bin"])
        }
        // One that remains without its file, and a file that is too long.
        for partial in [Data(), Data(count: 6000)] {
            try json.write(to: local.sidecar)
            try partial.write(to: local.partial)
            assertEqual(try await NetworkManager(network).download(ask, to: local.target).resumedBytes, 0)
            XCTAssertEqual(local.content, file.body)
        }
    }

    /// A process that ends here must not leave the new bytes with the old version.
    func testAnOldSidecarIsRemovedBeforeNewBytes() async throws {
        let file = ServedFile()
        let local = try await interrupted(file, at: 2000, try file.server())
        let gate = ResponseGate()
        let server = try LoopbackServer { _ in
            [.head(200, headers: ["Content-Length": "8"]), .body("half"), .wait(gate), .body("done")]
        }
        let (network, ask, target) = (NetworkConfiguration(server.url), ask, local.target)
        async let downloaded = NetworkManager(network).download(ask, to: target)
        await until { (try? Data(contentsOf: local.partial)) == Data("half".utf8) }
        XCTAssertEqual(local.names, ["file.bin.partial"])
        gate.open()
        _ = try await downloaded
        XCTAssertEqual(local.content, Data("halfdone".utf8))
    }

    /// Returns a file of 20 parts, whose server sends one part with each response.
    private func fileInParts(of part: Int) -> ServedFile {
        let file = ServedFile(.noise(20 * part), cuts: [part])
        let body = file.body
        file.change { state in
            state.answers = (1..<20).map { number in
                let range = number * part..<(number + 1) * part
                let field = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)"
                return .status(206, headers: ["ETag": "\"1\"", "Content-Range": field], body: body[range])
            }
        }
        return file
    }

    func testTinyPartsCountAsInterruptions() async throws {
        let local = try Downloaded()
        let (server, network) = try fileInParts(of: 1).serve()
        guard case .connection(let failure) = await local.failure(of: ask, network) else { return XCTFail("no error") }
        XCTAssertEqual(failure.kind, .lost)
        XCTAssertEqual(server.requests.count, 11)
    }

    func testAServerThatLimitsEachPart() async throws {
        let part = 1 << 16
        let (file, local) = (fileInParts(of: part), try Downloaded())
        let server = try file.server()
        let downloaded = try await NetworkManager(NetworkConfiguration(server.url)).download(ask, to: local.target)
        XCTAssertEqual(local.content, file.body)
        XCTAssertEqual(server.requests.count, 20)
        XCTAssertLessThan(downloaded.resumedBytes, 2 * part)
    }

    /// An encoded body is decoded, and its positions aren't those in the file.
    func testAnEncodedBodyIsNotContinued() async throws {
        let local = try Downloaded()
        let body = try XCTUnwrap(Data(base64Encoded: "H4sIAAAAAAAAA8tIzcnJV0jJL8/LyU9MAQCkJFC1DgAAAA=="))
        let whole = StubResponse.status(200, headers: ["ETag": "\"1\"", "Content-Encoding": "gzip"], body: body)
        let server = try LoopbackServer(responses: [whole.cut(after: 20), whole])
        let network = NetworkSession(NetworkConfiguration(server.url))
        let gzip = Ask<Data>(path: "file.bin", headers: ["Accept-Encoding": "gzip"])
        let error = await local.failure(of: gzip, network)
        XCTAssertNotNil(error)
        XCTAssertEqual(local.names, [])
        _ = try await NetworkManager(network).download(gzip, to: local.target)
        XCTAssertEqual(local.content, Data("hello download".utf8))
        XCTAssertEqual(server.requests.map { $0.header("Range") }, [nil, nil])
        XCTAssertEqual(server.requests.map { $0.header("Accept-Encoding") }, ["gzip", "gzip"])
    }

    // MARK: At random

    /// Cuts and changes at any point, also with a server that ignores `If-Range`.
    func testRandomCutsAndChanges() async throws {
        let isLong = ProcessInfo.processInfo.environment["RECORDKIT_SOAK"] == "1"
        var random = SplitMix(seed: 25)
        let versions = [ServedFile(), ServedFile(), ServedFile()]
        for (number, version) in versions.enumerated() {
            version.change { state in
                state.body = Data(state.body.map { $0 ^ UInt8(number) })
                state.headers = ["ETag": "\"\(number)\""]
            }
        }
        let current = Kept((version: 0, cut: 5000, change: false, ignoresIfRange: false))
        let server = try LoopbackServer { request in
            let (now, next) = current.change { state in
                let now = state
                state.cut = 5000
                if state.change { state.version = (state.version + 1) % 3 }
                return (now, state.version)
            }
            versions[next].change { $0.cuts = [now.cut] }
            return versions[next].answer(request, ignoresIfRange: now.ignoresIfRange)
        }
        let network = NetworkSession(NetworkConfiguration(server.url))
        for round in 0..<(isLong ? 3000 : 60) {
            let local = try Downloaded()
            for _ in 0..<20 where local.content == nil {
                let state = (
                    version: Int.random(in: 0..<3, using: &random), cut: Int.random(in: 0...5000, using: &random),
                    change: Bool.random(using: &random), ignoresIfRange: Bool.random(using: &random)
                )
                current.set(state)
                _ = await local.failure(of: ask, network)
            }
            XCTAssertTrue(versions.contains { $0.body == local.content }, "round \(round)")
        }
    }
}
