import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// After a sign-out, no token is on the device. `RECORDKIT_SIGN_OUTS` sets how often that is tried.
final class SignOutTests: TimedTestCase {
    override var timeLimit: TimeInterval { 1800 }

    private let count = Int(ProcessInfo.processInfo.environment["RECORDKIT_SIGN_OUTS"] ?? "") ?? 4

    /// Returns the names of the files in a folder, without locks.
    private func files(in folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).filter { !$0.hasSuffix(".lock") }
    }

    /// The refresh waits for a server that doesn't respond, in this process or in another one, and may not end when it
    /// is cancelled. The task of the sign-out ends before, during or after it.
    func testACancelledSignOutBesideAHangingRefresh() async throws {
        for number in 0..<count {
            for isFile in [true, false] {
                let folder = try TemporaryFolder()
                let old = TokenSet("old", refreshToken: "r")
                let file = FileTokenStore(folder.url.appending(path: "token.json"))
                let store: any TokenStore = isFile ? file : MemoryTokenStore(old)
                if isFile { try file.save(old) }
                let (isAsked, gate) = (ResponseGate(), ResponseGate())
                let refresh: @Sendable (TokenSet?) async throws -> TokenSet = { ended in
                    guard ended != nil else { throw CocoaError(.userCancelled) }
                    isAsked.open()
                    if number % 2 == 0 {
                        try await gate.wait()
                    } else {
                        // Doesn't notice that it is cancelled.
                        try await Task { try await gate.wait() }.value
                    }
                    return TokenSet("late", refreshToken: "late")
                }
                let own = TokenShop(accepting: "late", store, refresh: refresh)
                let other = TokenShop(accepting: "late", store, refresh: refresh)
                let refreshing = number % 4 < 2 ? own : other
                let call = Task { await refreshing.outcome() }
                await until { isAsked.isOpen }
                let signOut = Task { try await own.tokens.signOut() }
                for _ in 0..<(number % 7) { await Task.yield() }
                signOut.cancel()
                assertEqual(try await signOut.value, old)
                assertNil(try await store.load())
                gate.open()
                guard case .failure(let error) = await call.value else { return XCTFail("signed in again") }
                XCTAssertTrue(error.isUnauthorized, "\(error)")
                assertNil(try await store.load(), "the refresh stored its token")
                XCTAssertEqual(try files(in: folder), [])
            }
        }
    }

    func testASignOutEndsTheRefresh() async throws {
        let (isAsked, isCancelled) = (ResponseGate(), ResponseGate())
        let shop = TokenShop(accepting: "new", MemoryTokenStore(TokenSet("old"))) { _ in
            isAsked.open()
            do { try await ResponseGate().wait() } catch { isCancelled.open() }
            throw CancellationError()
        }
        let call = Task { await shop.interceptorFailure() }
        await until { isAsked.isOpen }
        try await shop.tokens.signOut()
        assertEqual(await call.value?.kind, .signedOut)
        await until { isCancelled.isOpen }
    }

    /// A process that is ended while it saves leaves a temporary file.
    func testASignOutRemovesWhatAnEndedProcessLeft() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "token.json")
        try FileTokenStore(file).save(TokenSet("old"))
        let others = ["token.json.backup", "other.json.saving-abcdef"]
        for name in others + ["token.json.saving-abcdef"] {
            try Data("secret".utf8).write(to: folder.url.appending(path: name))
        }
        try await TokenSource(store: FileTokenStore(file)) { _ in TokenSet("new") }.signOut()
        XCTAssertEqual(Set(try files(in: folder)), Set(others))
    }

    func testATokenReplacesOnlyAnother() async throws {
        let folder = try TemporaryFolder()
        let file = FileTokenStore(folder.url.appending(path: "token.json"))
        for store in [file, MemoryTokenStore(), ForgetfulStore()] as [any TokenStore] {
            assertEqual(try await store.replace(with: TokenSet("late")), false)
            assertNil(try await store.load())
            try await store.save(TokenSet("old"))
            assertEqual(try await store.replace(with: TokenSet("new")), true)
            assertEqual(try await store.load(), TokenSet("new"))
        }
    }

    /// A store that uses the default implementations.
    private final class ForgetfulStore: TokenStore {
        private let token = Kept<TokenSet?>(nil)

        func load() -> TokenSet? { token.now }
        func save(_ token: TokenSet?) { self.token.set(token) }
    }

    /// Otherwise a refresh of another process would replace the token of the sign-in.
    func testASignInTakesTheLock() async throws {
        struct LockedStore: TokenStore {
            let isLocked = Kept(false)
            let isSafe = Kept(false)

            func load() -> TokenSet? { nil }
            func save(_ token: TokenSet?) { isSafe.set(isLocked.now) }
            func withLock<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
                isLocked.set(true)
                defer { isLocked.set(false) }
                return try await work()
            }
        }
        let store = LockedStore()
        try await TokenSource(store: store) { _ in TokenSet("new") }.use(TokenSet("mine"))
        XCTAssertTrue(store.isSafe.now)
    }

    #if os(Linux)
    private static let fileVariable = "RECORDKIT_TOKEN_WRITER"

    func testAProcessThatIsKilledWhileItSaves() async throws {
        if ProcessInfo.processInfo.environment[Self.fileVariable] != nil { return }
        for _ in 0..<count {
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "token.json")
            let writer = Process()
            writer.executableURL = URL(
                filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            writer.arguments = ["RecordKitInterceptorsTests.SignOutTests/testSave"]
            writer.environment = ProcessInfo.processInfo.environment.merging([Self.fileVariable: file.path()]) { $1 }
            let output = Pipe()
            (writer.standardOutput, writer.standardError) = (output, FileHandle.nullDevice)
            try writer.run()
            // Its first saves are done.
            var seen = 0
            let enough = Int.random(in: 1...50)
            while seen < enough {
                guard let data = try output.fileHandleForReading.read(upToCount: 1), !data.isEmpty else {
                    return XCTFail("the writer ended")
                }
                if data == Data("*".utf8) { seen += 1 }
            }
            kill(writer.processIdentifier, SIGKILL)
            writer.waitUntilExit()
            assertEqual(
                try await TokenSource(store: FileTokenStore(file)) { _ in TokenSet("new") }.signOut()?.type, "Bearer")
            XCTAssertEqual(try files(in: folder), [])
        }
    }

    /// Runs in the processes that ``testAProcessThatIsKilledWhileItSaves()`` starts, until it is killed.
    func testSave() throws {
        guard let path = ProcessInfo.processInfo.environment[Self.fileVariable] else { return }
        let store = FileTokenStore(URL(filePath: path))
        for number in 0... {
            try store.save(TokenSet("\(number)", refreshToken: String(repeating: "r", count: 10_000)))
            FileHandle.standardOutput.write(Data("*".utf8))
        }
    }
    #endif
}
