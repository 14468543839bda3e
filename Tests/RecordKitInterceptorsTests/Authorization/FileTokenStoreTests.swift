import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class FileTokenStoreTests: TimedTestCase {
    private let folder = URL.temporaryDirectory.appending(path: "sign-in-\(UUID())")
    private let token = TokenSet("a", refreshToken: "r", expiry: Date(timeIntervalSince1970: 1_000_000_000))

    override func tearDown() { try? FileManager.default.removeItem(at: folder) }

    private var file: URL { folder.appending(path: "below/token.json") }

    private func mode(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path())[.posixPermissions] as? Int
    }

    func testATokenIsKeptForItsOwnerAlone() throws {
        let store = FileTokenStore(file)
        XCTAssertNil(try store.load())
        let mask = umask(0)
        defer { umask(mask) }
        try store.save(TokenSet("first"))
        try store.save(token)
        XCTAssertEqual(try store.load(), token)
        XCTAssertEqual(try mode(file), 0o600)
        XCTAssertEqual(try mode(file.deletingLastPathComponent()), 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path())
        XCTAssertEqual(names, ["token.json"])

        try store.save(nil)
        try store.save(nil)
        XCTAssertNil(try store.load())
    }

    func testTheFileIsReadable() throws {
        let store = FileTokenStore(file)
        let fields: [String: TokenSet.Field] = [
            "a": .string("1"), "b": .integer(9_007_199_254_740_993), "c": .number(0.5), "d": .bool(true), "e": .null,
            "f": .array([.object(["g": .integer(1)])]),
        ]
        let whole = TokenSet(
            "a", refreshToken: "r", expiry: Date(timeIntervalSince1970: 1_000_000_000.75), scope: "read", idToken: "i",
            fields: fields)
        try store.save(whole)
        XCTAssertEqual(try store.load(), whole)
        let text = try String(contentsOf: file, encoding: .utf8)
        XCTAssertTrue(text.contains(#""expiry":"2001-09-09T01:46:40Z""#), text)

        struct Further: Decodable {
            var b: Int
            var f: [[String: Int]]
        }
        XCTAssertEqual(try whole.fields(as: Further.self).f, [["g": 1]])
        XCTAssertEqual(whole.fields["a"]?.string, "1")
        XCTAssertNil(whole.fields["b"]?.string)
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 1e300)] {
            let token = TokenSet("a", expiry: date)
            try store.save(token)
            XCTAssertEqual(try store.load(), token)
        }

        // Seconds since 2001, as RecordKit wrote them first.
        try Data(#"{"access":"a","expiry":21692800.5,"refresh":"r","type":"Bearer"}"#.utf8).write(to: file)
        XCTAssertEqual(chmod(file.path(), 0o600), 0)
        XCTAssertEqual(try store.load(), token)
        try Data(#"{"access":"a","expiry":"tomorrow","type":"Bearer"}"#.utf8).write(to: file)
        XCTAssertEqual(chmod(file.path(), 0o600), 0)
        XCTAssertThrowsError(try store.load())
    }

    func testACallThatEndsForItSaysWhatToDo() async throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("no token".utf8).write(to: file)
        XCTAssertEqual(chmod(file.path(), 0o600), 0)
        let tokens = TokenSource(store: FileTokenStore(file)) { _ in TokenSet("new") }
        let network = NetworkConfiguration(
            CannedTransport(), [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: ManualClock())
        guard case .failure(let error) = await NetworkSession(network).outcome(of: Ask()) else {
            return XCTFail("no error")
        }
        XCTAssertTrue(error.description.contains("remove it and sign in again"), error.description)
    }

    func testAFileThatOthersMayReadIsRefused() throws {
        let store = FileTokenStore(file)
        try store.save(token)
        for mode in [0o640, 0o604, 0o620, 0o602, 0o610] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path())
            XCTAssertThrowsError(try store.load(), String(mode, radix: 8)) { error in
                XCTAssertTrue("\(error)".contains("chmod 600"), "\(error)")
            }
        }
    }

    func testAFileWithoutATokenIsATypedError() throws {
        let store = FileTokenStore(file)
        try store.save(token)
        for content in ["", "{", "[]", #"{"type":"Bearer"}"#] {
            try Data(content.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path())
            XCTAssertThrowsError(try store.load(), content) { XCTAssertTrue($0 is TokenFileError) }
        }
        let pipe = folder.appending(path: "pipe")
        XCTAssertEqual(mkfifo(pipe.path(), 0o600), 0)
        XCTAssertThrowsError(try FileTokenStore(pipe).load()) { error in
            XCTAssertTrue("\(error)".contains("isn't a regular file"), "\(error)")
        }
        XCTAssertThrowsError(try FileTokenStore(folder).load())
        XCTAssertThrowsError(try FileTokenStore(folder).save(token))
    }

    func testAFileOfAnotherUserIsRefused() throws {
        let store = FileTokenStore(file)
        try store.save(token)
        guard chown(file.path(), 65_534, 65_534) == 0 else { throw XCTSkip("Only root can change the owner.") }
        XCTAssertThrowsError(try store.load()) { error in
            XCTAssertTrue("\(error)".contains("another user"), "\(error)")
        }
    }

    func testAFileThatIsTooLargeIsRefused() throws {
        let store = FileTokenStore(file)
        try store.save(TokenSet(String(repeating: "x", count: 1 << 20)))
        XCTAssertThrowsError(try store.load()) { XCTAssertTrue("\($0)".contains("1 MB"), "\($0)") }
    }

    func testAFileThatCannotBeReplacedLeavesNoOther() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        XCTAssertThrowsError(try FileTokenStore(file).save(token))
        let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path())
        XCTAssertEqual(names, ["token.json"])
    }

    func testWritersAndReadersAtOnceSeeWholeTokens() async throws {
        let store = FileTokenStore(file)
        try store.save(token)
        let long = String(repeating: "x", count: 50_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for _ in 0..<50 { try store.save(TokenSet("\(number)\(long)")) }
                }
                group.addTask {
                    for _ in 0..<50 { _ = try XCTUnwrap(store.load()) }
                }
            }
            try await group.waitForAll()
        }
    }
}
