import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// A file is moved into place only with the right checksum.
final class DownloadChecksumTests: TimedTestCase {
    private let ask = Ask<Data>(path: "file.bin")

    /// Downloads a body. Returns its error, if any.
    private func download(
        _ body: Data, digest: String? = nil, content: String? = nil, checksum: FileChecksum? = nil,
        encoding: String? = nil
    ) async throws -> NetworkError? {
        let local = try Downloaded()
        let headers: HTTPHeaders = ["Repr-Digest": digest, "Content-Digest": content, "Content-Encoding": encoding]
        let transport = ChunkTransport(chunks: [body], headers: headers)
        let network = NetworkSession(NetworkConfiguration(transport))
        let error = await networkError {
            try await NetworkManager(network).download(ask, to: local.target, checksum: checksum)
        }
        XCTAssertEqual(local.content, error == nil ? body : nil)
        XCTAssertEqual(local.names, error == nil ? ["file.bin"] : [])
        return error
    }

    func testAWrongChecksumOfTheCaller() async throws {
        let digits = String(repeating: "0", count: 64)
        let error = try await download(Data("abc".utf8), checksum: .sha256(digits))
        guard case .file(let failure) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertEqual(
            failure.reason,
            .wrongChecksum(
                expected: "sha-256:\(digits)",
                actual: "sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        XCTAssertEqual(
            failure.description,
            "The file file.bin could not be written: the checksum is "
                + "sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad, "
                + "but sha-256:\(digits) is expected; download it again.")
    }

    func testAChecksumThatIsNone() async throws {
        for checksum in [
            FileChecksum.sha256(""), .sha256("abc"), .sha512(String(repeating: "0", count: 64)),
            .sha256(String(repeating: "x", count: 64)),
        ] {
            let error = try await download(Data("abc".utf8), checksum: checksum)
            guard case .invalidRequest(let invalid) = error else { return XCTFail("\(String(describing: error))") }
            XCTAssertEqual(invalid.member, .options)
        }
    }

    func testTheDigestOfTheServer() async throws {
        let (right256, wrong256) = (
            "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:",
            "sha-256=:pS0VnyYrLG3bckphhAvvw26zDIiHekAwtly+himESck=:"
        )
        let (right512, wrong512) = (
            "sha-512=:3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==:",
            "sha-512=:GphAwnpc8i2rBgzdioPaKw+8sa61LU+dOJS2OQg+IFpas/avrushuOmbXg/pPar6q+7ydNpdbq3MnbNuW29kxA==:"
        )
        let digests = [
            (right256, true), (wrong256, false), (right512, true), (wrong512, false),
            // The stronger one counts.
            ("\(wrong256), \(right512)", true), ("\(right256),\t\(wrong512)", false),
            // Without padding, as RFC 9651 section 4.2.7 allows.
            (String(right256.dropLast(2)) + ":", true), (String(wrong256.dropLast(2)) + ":", false),
            (wrong512.replacing("==:", with: ":"), false), (wrong512.replacing("==:", with: "=:"), false),
            // Others, parameters, and what is no digest, is ignored.
            ("md5=:kAFQmDzST7DWlj99KOF/cg==:, \(wrong256)", false), ("\(wrong256);a=1;b=\",\"", false),
            ("x=\"a, \(wrong256)\"", true), ("sha-256=:AAAA:", true), ("sha-256=10", true), ("sha-256", true),
            ("=", true), ("", true), (":::", true), ("sha-256=::", true), ("sha-256=:", true),
            // A field that isn't valid isn't read.
            ("\(wrong256),", true), ("\(wrong256), =", true), ("SHA-256=\(wrong256.dropFirst(8))", true),
        ]
        for (digest, isRight) in digests {
            let errors = [
                try await download(Data("abc".utf8), digest: digest),
                try await download(Data("abc".utf8), content: digest),
                try await download(Data("abc".utf8), digest: right256, content: digest),
            ]
            for error in errors {
                if isRight {
                    XCTAssertNil(error, digest)
                } else {
                    guard case .file = error else { return XCTFail("\(digest): \(String(describing: error))") }
                }
            }
        }
        // It is that of the encoded body.
        assertNil(try await download(Data("abc".utf8), digest: wrong256, content: wrong256, encoding: "gzip"))
    }

    func testTheChecksumOfACompletedFileIsThatOfTheWhole() async throws {
        let body = Data("abc".utf8)
        for (digest, isRight) in [
            ("sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:", true),
            ("sha-256=:pS0VnyYrLG3bckphhAvvw26zDIiHekAwtly+himESck=:", false),
        ] {
            let (file, local) = (ServedFile(body, ["ETag": "\"1\"", "Repr-Digest": digest]), try Downloaded())
            file.change { $0.cuts = [1, 1] }
            let (server, network) = try file.serve()
            _ = await local.failure(of: ask, network)
            // The field of the first response is kept.
            file.change { $0.headers["Repr-Digest"] = nil }
            let error = await local.failure(of: ask, network)
            XCTAssertEqual(server.requests.last?.header("Range"), "bytes=1-")
            XCTAssertEqual(error == nil, isRight)
            XCTAssertEqual(local.names, isRight ? ["file.bin"] : [])
        }
    }

    /// The digest of the content of a 206 is that of its part, and of a 200 that of the whole.
    func testTheDigestOfAPart() async throws {
        // Of "bc", and of "abc".
        let (part, whole) = (
            "sha-256=:Hgu9bGhroFC46wP/7txk/cnYCUf86CGrvl1tyNJSxaw=:",
            "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"
        )
        for (first, second, isRight) in [
            (nil, part, true), (nil, whole, false), (whole, nil, true), (part, nil, false), (whole, part, true),
        ] {
            let (file, local) = (
                ServedFile(Data("abc".utf8), ["ETag": "\"1\"", "Content-Digest": first]), try Downloaded()
            )
            file.change { $0.cuts = [1] }
            let server = try LoopbackServer { request in
                if request.header("Range") != nil {
                    file.change { $0.headers = ["ETag": "\"1\"", "Content-Digest": second] }
                }
                return file.answer(request)
            }
            let network = NetworkSession(NetworkConfiguration(server.url))
            let error = await local.failure(of: ask, network)
            XCTAssertEqual(server.requests.last?.header("Range"), "bytes=1-")
            XCTAssertEqual(error == nil, isRight, "\(first ?? "none"), \(second ?? "none")")
            XCTAssertEqual(local.names, isRight ? ["file.bin"] : [])
        }
    }
}
