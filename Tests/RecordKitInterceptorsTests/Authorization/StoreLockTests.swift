import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
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
        try store.save(AccessToken("old", refresh: "once"))
        let used = Mutex<[String?]>([])
        let networks = (0..<8).map { _ in
            let tokens = TokenSource(store: store) { ended in
                used.withLock { $0.append(ended?.refresh) }
                await Task.yield()
                return AccessToken("new", refresh: "next")
            }
            return NetworkSession(network(tokens, accepting: "new"))
        }
        await withTaskGroup(of: Int?.self) { group in
            for network in networks { group.addTask { await network.status() } }
            for await status in group { XCTAssertEqual(status, 200) }
        }
        XCTAssertEqual(used.withLock { $0 }, ["once"])
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path() + ".lock")
        XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o600)
    }

    /// The refresh shows the app's sign-in, which stores the new token itself.
    func testASignInWithinARefreshDoesNotWaitForIt() async throws {
        let folder = try TemporaryFolder()
        let store = FileTokenStore(folder.url.appending(path: "token"))
        try store.save(AccessToken("old"))
        let source = Mutex<TokenSource?>(nil)
        let tokens = TokenSource(store: store) { _ in
            try await source.withLock { $0 }?.signIn(AccessToken("new"))
            return AccessToken("unused")
        }
        source.withLock { $0 = tokens }
        assertEqual(await NetworkSession(network(tokens, accepting: "new")).status(), 200)
        XCTAssertEqual(try store.load(), AccessToken("new"))
        source.withLock { $0 = nil }
    }

    func testASourceWorksWhereTheLockCannotBeCreated() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "token")
        // Root may write in a folder without permission, so something else is in the way of the lock.
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "token.lock"), withIntermediateDirectories: true)
        let tokens = TokenSource(store: FileTokenStore(file)) { _ in AccessToken("new") }
        assertEqual(await NetworkSession(network(tokens, accepting: "new")).status(), 200)
        XCTAssertEqual(try FileTokenStore(file).load(), AccessToken("new"))
    }

    func testTheErrorOfAStoreThatCannotBeLockedIsKept() async throws {
        struct Locked: LocalizedError {
            var errorDescription: String? { "The keychain is locked." }
        }
        struct LockedStore: TokenStore {
            func load() -> AccessToken? { AccessToken("old") }
            func save(_ token: AccessToken?) {}
            func withLock<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
                throw Locked()
            }
        }
        let tokens = TokenSource(store: LockedStore()) { _ in AccessToken("new") }
        let outcome = await NetworkSession(network(tokens, accepting: "new")).outcome(of: Ask())
        guard case .failure(.interceptor(let failure)) = outcome else { return XCTFail("\(outcome)") }
        XCTAssertTrue(failure.cause is Locked)
        XCTAssertEqual(failure.reason, "the token couldn't be refreshed: The keychain is locked")
    }

    func testASignOutReturnsTheLatestToken() async throws {
        typealias Case = (name: String, store: any TokenStore, signIn: AccessToken?, removes: AccessToken?)
        let theirs = MemoryTokenStore(AccessToken("first"))
        let table: [Case] = [
            ("no token", MemoryTokenStore(), nil, nil),
            ("a token that wasn't used yet", MemoryTokenStore(AccessToken("kept")), nil, AccessToken("kept")),
            ("a sign-in", MemoryTokenStore(AccessToken("kept")), AccessToken("mine"), AccessToken("mine")),
            ("a token of another process", theirs, AccessToken("mine"), AccessToken("theirs")),
        ]
        for (name, store, signIn, removes) in table {
            let tokens = TokenSource(store: store) { _ in AccessToken("new") }
            if let signIn { try await tokens.signIn(signIn) }
            if name.hasSuffix("process") { theirs.save(AccessToken("theirs")) }
            assertEqual(try await tokens.signOut(), removes, name)
            assertNil(try await store.load(), name)
        }
        // This token was never stored.
        let tokens = TokenSource(store: SpyStore.full(AccessToken("kept"))) { _ in AccessToken("new") }
        _ = await NetworkSession(network(tokens, accepting: "new")).status()
        let error = await failure { try await tokens.signOut() }
        XCTAssertTrue(error is CancellationError)
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
