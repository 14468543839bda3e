import RecordKit
import RecordKitDigest
import RecordKitSigning
import TestSupport
import XCTest

final class HMACTests: TimedTestCase {
    private func bytes(_ byte: UInt8, _ count: Int) -> Data { Data(repeating: byte, count: count) }
    private let long = "Test Using Larger Than Block-Size Key - Hash Key First"

    /// RFC 2202 section 3.
    func testSHA1() {
        let cases: [(key: Data, text: Data, code: String)] = [
            (bytes(0x0b, 20), Data("Hi There".utf8), "b617318655057264e28bc0b6fb378c8ef146be00"),
            (Data("Jefe".utf8), Data("what do ya want for nothing?".utf8), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
            (bytes(0xaa, 20), bytes(0xdd, 50), "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
            (Data(1...25), bytes(0xcd, 50), "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
            (bytes(0x0c, 20), Data("Test With Truncation".utf8), "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"),
            (bytes(0xaa, 80), Data(long.utf8), "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
            (
                bytes(0xaa, 80), Data("Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data".utf8),
                "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"
            ),
        ]
        for (key, text, code) in cases { XCTAssertEqual(KeyedDigest.of(text, .sha1, key: key).hexadecimal, code) }
    }

    /// RFC 4231 section 4.
    func testSHA256AndSHA512() {
        let longText =
            "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
            + "hashed before being used by the HMAC algorithm."
        let cases: [(key: Data, text: Data, sha256: String, sha512: String)] = [
            (
                bytes(0x0b, 20), Data("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                    + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"
            ),
            (
                Data("Jefe".utf8), Data("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                    + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
            ),
            (
                bytes(0xaa, 20), bytes(0xdd, 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
                "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
                    + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"
            ),
            (
                Data(1...25), bytes(0xcd, 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
                "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
                    + "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd"
            ),
            (
                bytes(0xaa, 131), Data(long.utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
                "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                    + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"
            ),
            (
                bytes(0xaa, 131), Data(longText.utf8),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
                "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
                    + "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58"
            ),
        ]
        for (key, text, sha256, sha512) in cases {
            XCTAssertEqual(KeyedDigest.of(text, .sha256, key: key).hexadecimal, sha256)
            XCTAssertEqual(KeyedDigest.of(text, .sha512, key: key).hexadecimal, sha512)
        }
        // Case 5 is truncated.
        let code = KeyedDigest.of(Data("Test With Truncation".utf8), .sha256, key: bytes(0x0c, 20)).hexadecimal
        XCTAssertEqual(code.prefix(32), "a3b6167473100ee06e0c796c2955552b")
    }

    func testPiecesAndComparison() {
        var code = KeyedDigest(.sha256, key: Data("Jefe".utf8))
        code.update(Data("what do ya want ".utf8))
        code.update(Data("for nothing?".utf8))
        let whole = KeyedDigest.of(Data("what do ya want for nothing?".utf8), .sha256, key: Data("Jefe".utf8))
        XCTAssertTrue(code.matches(whole.bytes))
        XCTAssertEqual(code.base64, Data(whole.bytes).base64EncodedString())
        XCTAssertFalse(code.matches(whole.bytes.dropLast()))
        XCTAssertFalse(code.matches(whole.bytes + [0]))
        XCTAssertFalse(code.matches([]))
        var other = whole.bytes
        other[31] ^= 1
        XCTAssertFalse(code.matches(other))
        XCTAssertFalse("\(code)".contains(code.hexadecimal))
    }

    /// The digest of the digests of 0 to 300 bytes, computed with OpenSSL.
    func testHashesOfAllLengths() {
        func text(_ count: Int) -> Data { Data((0..<count).map { UInt8($0 * 7 % 256) }) }
        let known: [(MessageDigest.Algorithm, String)] = [
            (.sha512_256, "47ab2ce5afbc07c92f36ad852f147ea2a2db3eecfc0d489464cb4f46c53293dc"),
            (.sha1, "2d095daa1437f7f4f361cd003710e0b4d4d9af37"),
            (.sha256, "3b05b530351f50663ba5ac734c246d169eafec6b57c70dc6dc94cad39d04aad8"),
            (
                .sha512,
                "8a732a2ef96b72c61264041d982c51f52f584ba520746f8dfcbe356c60311e9d"
                    + "68a05c40ac64998fb6bfca078a50d008373e7d30159f0e4626b1102c1cf370b3"
            ),
        ]
        for (algorithm, expected) in known {
            var all = MessageDigest(algorithm)
            for count in 0...300 { all.update(Data(MessageDigest.of(text(count), algorithm).bytes)) }
            XCTAssertEqual(all.hexadecimal, expected)
            XCTAssertEqual(all.bytes.count, algorithm.length)
        }
    }
}
