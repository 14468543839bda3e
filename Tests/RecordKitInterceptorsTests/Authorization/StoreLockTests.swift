import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// The lock of a store that several processes share, and what a sign-out removes.
final class StoreLockTests: TimedTestCase {
    private func network(_ tokens: TokenSource, accepting token: String) -> NetworkConfiguration {
        NetworkConfiguration(
            CannedTransport(accepting: token), [AuthorizationInterceptor(tokens, for: "https://store.example")],
            clock: ManualClock())
    }

    func testOneSourceAtATimeRefreshesAFile() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "below/token")
        let store = FileTokenStore(file)
        try store.save(TokenSet("old", refreshToken: "once"))
        let used = Kept<[String?]>([])
        let networks = (0..<8).map { _ in
            let tokens = TokenSource(store: store) { ended in
                used.add(ended?.refreshToken)
                await Task.yield()
                return TokenSet("new", refreshToken: "next")
            }
            return NetworkSession(network(tokens, accepting: "new"))
        }
        await withTaskGroup(of: Int?.self) { group in
            for network in networks { group.addTask { await network.status() } }
            for await status in group { XCTAssertEqual(status, 200) }
        }
        XCTAssertEqual(used.now, ["once"])
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path() + ".lock")
        XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o600)
    }

    /// The refresh shows the app's sign-in, which stores the new token itself.
    func testASignInWithinARefreshDoesNotWaitForIt() async throws {
        let folder = try TemporaryFolder()
        let store = FileTokenStore(folder.url.appending(path: "token"))
        try store.save(TokenSet("old"))
        let source = Kept<TokenSource?>(nil)
        let tokens = TokenSource(store: store) { _ in
            try await source.now?.use(TokenSet("new"))
            return TokenSet("unused")
        }
        source.set(tokens)
        assertEqual(await NetworkSession(network(tokens, accepting: "new")).status(), 200)
        XCTAssertEqual(try store.load(), TokenSet("new"))
        source.set(nil)
    }

    func testASourceWorksWhereNoLockCanBeCreated() async throws {
        let folder = try TemporaryFolder()
        // Root may write in a folder without permission, so a file is in the place of the folder.
        try Data().write(to: folder.url.appending(path: "file"))
        let tokens = TokenSource(store: FileTokenStore(folder.url.appending(path: "file/token"))) { _ in
            TokenSet("new")
        }
        let outcome = await NetworkSession(network(tokens, accepting: "new")).outcome(of: Ask())
        guard case .failure(.interceptor(let failure)) = outcome else { return XCTFail("\(outcome)") }
        XCTAssertTrue(failure.reason.contains("can't be opened"), failure.reason)
    }

    func testSomethingInThePlaceOfTheLockIsAnError() async throws {
        for place in ["folder", "symbolic link", "pipe"] {
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "token")
            let lock = folder.url.appending(path: "token.lock")
            try FileTokenStore(file).save(TokenSet("old"))
            switch place {
            case "folder": try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: true)
            case "pipe": XCTAssertEqual(mkfifo(lock.path(), 0o600), 0)
            default: try FileManager.default.createSymbolicLink(at: lock, withDestinationURL: file)
            }
            let tokens = TokenSource(store: FileTokenStore(file)) { _ in
                XCTFail("refreshed without a lock")
                return TokenSet("new")
            }
            let outcome = await NetworkSession(network(tokens, accepting: "new")).outcome(of: Ask())
            guard case .failure(.interceptor(let failure)) = outcome else { return XCTFail("\(outcome)") }
            XCTAssertTrue(failure.reason.contains("remove \(lock.path())"), failure.reason)
            // A sign-out needs no lock.
            try await tokens.signOut()
            XCTAssertFalse(FileManager.default.fileExists(atPath: file.path()), place)
        }
    }

    func testTheErrorOfAStoreThatCannotBeLockedIsKept() async throws {
        struct Locked: LocalizedError {
            var errorDescription: String? { "The keychain is locked." }
        }
        struct LockedStore: TokenStore {
            func load() -> TokenSet? { TokenSet("old") }
            func save(_ token: TokenSet?) {}
            func withLock<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
                throw Locked()
            }
        }
        let tokens = TokenSource(store: LockedStore()) { _ in TokenSet("new") }
        let outcome = await NetworkSession(network(tokens, accepting: "new")).outcome(of: Ask())
        guard case .failure(.interceptor(let failure)) = outcome else { return XCTFail("\(outcome)") }
        XCTAssertTrue(failure.cause is Locked)
        XCTAssertEqual(failure.reason, "the token couldn't be refreshed: The keychain is locked")
    }

    func testAScopeContainsItsOrigins() throws {
        let table: [(CredentialScope, String, Bool)] = [
            ("https://api.example", "https://API.example:443/x?y", true),
            ("https://api.example", "https://api.example:8", false),
            (.domain("store.example"), "https://eu.store.example/", true),
            (.domain("store.example"), "http://store.example/", false),
            (.origin("nonsense"), "https://nonsense", false),
        ]
        for (scope, url, isIn) in table {
            XCTAssertEqual(scope.contains(URLOrigin(try XCTUnwrap(URL(string: url)))), isIn, url)
        }
    }
}
