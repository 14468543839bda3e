import RecordKit
import RecordKitInterceptors
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// Two processes with one file of tokens, and a server that ends the sign-in when a refresh token is used twice.
final class TwoProcessTests: TimedTestCase {
    #if os(Linux)
    /// An API whose access token expires after ten calls, and its token endpoint.
    private final class RotatingServer: Sendable {
        struct State {
            var number = 0
            var calls = 0
            var callsOfToken = 0
            var refreshes = 0
            var wasUsedTwice = false
            /// How often the next call came from the other process.
            var turns = 0
            var last = ""
        }

        let state = Kept(State())

        func respond(to request: LoopbackRequest) -> StubResponse {
            state.change { state in
                if request.path == "/token" {
                    let token = RequestQuery(parsing: request.text).items.first { $0.name == "refresh_token" }?.value
                    guard token == "r\(state.number)", !state.wasUsedTwice else {
                        state.wasUsedTwice = true
                        return .json(#"{"error":"invalid_grant"}"#, status: 400)
                    }
                    state.number += 1
                    state.refreshes += 1
                    state.callsOfToken = 0
                    // Long enough for the other process to notice the expiry.
                    return .json(#"{"access_token":"a\#(state.number)","refresh_token":"r\#(state.number)"}"#)
                        .after(.delay(.milliseconds(20)))
                }
                guard request.header("Authorization") == "Bearer a\(state.number)", state.callsOfToken < 10,
                    !state.wasUsedTwice
                else { return .status(401) }
                state.calls += 1
                state.callsOfToken += 1
                let process = request.header("X-Process") ?? ""
                if process != state.last { state.turns += 1 }
                state.last = process
                return .status(200)
            }
        }
    }

    func testTwoProcessesDoNotSignEachOtherOut() throws {
        if ChildProcess.task != nil { return }
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "token.json")
        try FileTokenStore(file).save(TokenSet("a0", refreshToken: "r0"))
        let rotating = RotatingServer()
        let server = try LoopbackServer { rotating.respond(to: $0) }
        defer { server.stop() }
        let outputs = Kept<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { process in
            do {
                let child = try ChildProcess.run(
                    "RecordKitOAuthTests.TwoProcessTests/testInTheChildCallsAreMade",
                    task: "\(server.url.absoluteString) \(process) \(file.path(percentEncoded: false))")
                if child.status != 0 { outputs.add(child.output) }
            } catch {
                outputs.add("\(error)")
            }
        }
        XCTAssertEqual(outputs.now, [])
        let state = rotating.state.now
        XCTAssertFalse(state.wasUsedTwice, "a refresh token was used twice")
        XCTAssertEqual(state.calls, 1000)
        // The last token may have expired unnoticed.
        XCTAssertTrue((99...100).contains(state.refreshes), "\(state.refreshes) refreshes")
        XCTAssertGreaterThan(state.turns, 20, "the processes ran one after the other")
    }

    func testInTheChildCallsAreMade() async throws {
        guard let task = ChildProcess.task?.split(separator: " ", maxSplits: 2).map(String.init), task.count == 3 else {
            return
        }
        let client = OAuthClient("tool", at: OAuthServer(tokenURL: task[0] + "/token"))
        let tokens = client.tokens(in: FileTokenStore(URL(filePath: task[2])))
        let network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment(task[0]),
                interceptors: [AuthorizationInterceptor(tokens, for: .origin(task[0]))],
                headers: ["X-Process": task[1]]))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<125 {
                        // A token that lasts for ten calls may expire while a call is sent again.
                        var status = await network.status()
                        while status == 401 { status = await network.status() }
                        XCTAssertEqual(status, 200)
                    }
                }
            }
        }
    }
    #endif
}
