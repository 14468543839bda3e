import Foundation
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
        let network = NetworkSession(
            NetworkConfiguration(environment: NetworkEnvironment("https://store.example"), transport: transport))
        let error = await failure { () async throws(NetworkError) in
            try await NetworkManager(network).download(ask, to: local.target, checksum: checksum)
        }
        XCTAssertEqual(local.content, error == nil ? body : nil)
        XCTAssertEqual(local.names, error == nil ? ["file.bin"] : [])
        return error
    }

    private func text(_ length: Int) -> Data { Data(repeating: UInt8(ascii: "a"), count: length) }

    /// The examples of FIPS 180-4, and lengths at the ends of blocks.
    func testTheHashFunctions() async throws {
        let examples = [
            (
                Data(),
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                    + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
            ),
            (
                Data("abc".utf8),
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (
                Data("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
                    + "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"
            ),
            (
                text(55),
                "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
                "b0220c772cbf6c1822e2cb38a437d0e1d58772417a4bbb21c961364f8b6143e0"
                    + "5aa6316dca8d1d7b19e16448419076395f6086cb55101fbd6d5497b148e1745f"
            ),
            (
                text(56),
                "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a",
                "962b64aae357d2a4fee3ded8b539bdc9d325081822b0bfc55583133aab44f18b"
                    + "afe11d72a7ae16c79ce2ba620ae2242d5144809161945f1367f41b3972e26e04"
            ),
            (
                text(63),
                "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34",
                "c1b0f5c6d3b03dfe4a2602e67242f54e344090b66e01100a469b129f583f016c"
                    + "7e27dddeaa438393dcc7ec54b0b57c9ba7af007f9b56db5f6fb677d972a31362"
            ),
            (
                text(64),
                "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
                "01d35c10c6c38c2dcf48f7eebb3235fb5ad74a65ec4cd016e2354c637a8fb49b"
                    + "695ef3c1d6f7ae4cd74d78cc9c9bcac9d4f23a73019998a7f73038a5c9b2dbde"
            ),
            (
                text(65),
                "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0",
                "b83086cd8494e55708ad7ecd82dfb4bca1bda61ecbb7caf0c68967902e709345"
                    + "e5d8305eb7ac0d588afc6cbb75161aa9c8c7e0ea986bd833dafe5e1ccd37345a"
            ),
            (
                text(111),
                "6374f73208854473827f6f6a3f43b1f53eaa3b82c21c1a6d69a2110b2a79baad",
                "fa9121c7b32b9e01733d034cfc78cbf67f926c7ed83e82200ef8681819692176"
                    + "0b4beff48404df811b953828274461673c68d04e297b0eb7b2b4d60fc6b566a2"
            ),
            (
                text(112),
                "f54353008a2553262ecdc4a34749563ba0950e8b0fc8652780b0a614b99683c1",
                "c01d080efd492776a1c43bd23dd99d0a2e626d481e16782e75d54c2503b5dc32"
                    + "bd05f0f1ba33e568b88fd2d970929b719ecbb152f58f130a407c8830604b70ca"
            ),
            (
                text(119),
                "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb",
                "130396a75cb483f2eee8c56d8a668bb3d2641f5243212c0bee2bd33da096ad9e"
                    + "b8179fe18f9eaacf76e09fae9de4c3f14ba13341e345be05bf76c182cc3468cb"
            ),
            (
                text(120),
                "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c",
                "f241de612b01aa2fa3cf01531d2a8e5e17fc761dfd48a704a834a47f57d6eade"
                    + "7804ecc39be42fdef16ec6adeaf7c01c2fd0c4cc97d3860907cfa4a3b36d0c05"
            ),
            (
                text(127),
                "c57e9278af78fa3cab38667bef4ce29d783787a2f731d4e12200270f0c32320a",
                "828613968b501dc00a97e08c73b118aa8876c26b8aac93df128502ab360f91ba"
                    + "b50a51e088769a5c1eff4782ace147dce3642554199876374291f5d921629502"
            ),
            (
                text(128),
                "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e",
                "b73d1929aa615934e61a871596b3f3b33359f42b8175602e89f7e06e5f658a24"
                    + "3667807ed300314b95cacdd579f3e33abdfbe351909519a846d465c59582f321"
            ),
            (
                text(129),
                "c12cb024a2e5551cca0e08fce8f1c5e314555cc3fef6329ee994a3db752166ae",
                "4f681e0bd53cda4b5a2041cc8a06f2eabde44fb16c951fbd5b87702f07aeab61"
                    + "1565b19c47fde30587177ebb852e3971bbd8d3fd30da18d71037dfbd98420429"
            ),
            (
                text(1000),
                "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3",
                "67ba5535a46e3f86dbfbed8cbbaf0125c76ed549ff8b0b9e03e0c88cf90fa634"
                    + "fa7b12b47d77b694de488ace8d9a65967dc96df599727d3292a8d9d447709c97"
            ),
        ]
        for (body, sha256, sha512) in examples {
            for checksum in [FileChecksum.sha256(sha256), .sha512(sha512), .sha256(sha256.uppercased())] {
                let error = try await download(body, checksum: checksum)
                XCTAssertNil(error, "\(body.count) bytes")
            }
        }
    }

    func testAWrongChecksumOfTheCaller() async throws {
        let digits = String(repeating: "0", count: 64)
        let error = try await download(Data("abc".utf8), checksum: .sha256(digits))
        guard case .file(let failure) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertEqual(failure.action, .verify)
        XCTAssertEqual(
            failure.reason,
            .wrongChecksum(
                expected: "sha-256:\(digits)",
                actual: "sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        XCTAssertEqual(
            failure.description,
            "The file file.bin could not be verified: the checksum is sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad, but sha-256:\(digits) is expected; "
                + "download it again.")
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
        let encoded = try await download(Data("abc".utf8), digest: wrong256, content: wrong256, encoding: "gzip")
        XCTAssertNil(encoded)
    }

    func testTheChecksumOfACompletedFileIsThatOfTheWhole() async throws {
        let body = Data("abc".utf8)
        for (digest, isRight) in [
            ("sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:", true),
            ("sha-256=:pS0VnyYrLG3bckphhAvvw26zDIiHekAwtly+himESck=:", false),
        ] {
            let (file, local) = (ServedFile(body, ["ETag": "\"1\"", "Repr-Digest": digest]), try Downloaded())
            file.change { $0.cuts = [1, 1] }
            let server = try file.server()
            let network = NetworkSession(NetworkConfiguration(server.url))
            _ = await failure { () async throws(NetworkError) in
                try await NetworkManager(network).download(ask, to: local.target)
            }
            // The field of the first response is kept.
            file.change { $0.headers["Repr-Digest"] = nil }
            let error = await failure { () async throws(NetworkError) in
                try await NetworkManager(network).download(ask, to: local.target)
            }
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
            let error = await failure { () async throws(NetworkError) in
                try await NetworkManager(network).download(ask, to: local.target)
            }
            XCTAssertEqual(server.requests.last?.header("Range"), "bytes=1-")
            XCTAssertEqual(error == nil, isRight, "\(first ?? "none"), \(second ?? "none")")
            XCTAssertEqual(local.names, isRight ? ["file.bin"] : [])
        }
    }
}
