import Foundation
import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport

/// A file on a server that understands ranges. A test changes it, and cuts or replaces its responses.
final class ServedFile: Sendable {
    struct State: Sendable {
        var body: Data
        var headers: HTTPHeaders
        /// The positions in the file at which the next responses end early.
        var cuts: [Int] = []
        /// The responses to the next range requests, in place of the right ones.
        var answers: [StubResponse] = []
        /// The response to the first request, in place of the right one.
        var first: StubResponse?
    }

    private let state: Kept<State>

    init(_ body: Data = .noise(5000), _ headers: HTTPHeaders = ["ETag": "\"1\""], cuts: [Int] = []) {
        state = Kept(State(body: body, headers: headers, cuts: cuts))
    }

    func change(_ change: (inout State) -> Void) { state.change { change(&$0) } }

    /// Replaces the file by another version of the same length.
    func becomeNew(_ headers: HTTPHeaders = ["ETag": "\"2\""]) {
        change { state in
            state.body = Data(state.body.reversed())
            state.headers = headers
        }
    }

    var body: Data { state.change { $0.body } }

    func server() throws -> LoopbackServer { try LoopbackServer { self.answer($0) } }

    /// Returns a server, and a session that sends to it.
    func serve() throws -> (server: LoopbackServer, session: NetworkSession) {
        let server = try server()
        return (server, NetworkSession(NetworkConfiguration(server.url)))
    }

    /// Returns the response with the whole file, or with the rest of it (RFC 9110 sections 13.1.5 and 14.2).
    func answer(_ request: LoopbackRequest, ignoresIfRange: Bool = false) -> StubResponse {
        state.change { state in
            var start = 0
            if let first = state.first {
                state.first = nil
                return first
            }
            if let range = request.header("Range") {
                if !state.answers.isEmpty { return state.answers.removeFirst() }
                let validator = state.headers["ETag"] ?? state.headers["Last-Modified"]
                let isCurrent = ignoresIfRange || (request.header("If-Range").map { $0 == validator } ?? true)
                if isCurrent { start = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0 }
            }
            let length = state.body.count
            if start > 0, start >= length { return .status(416, headers: ["Content-Range": "bytes */\(length)"]) }
            var headers = state.headers
            if start > 0 { headers["Content-Range"] = "bytes \(start)-\(length - 1)/\(length)" }
            let answer = StubResponse.status(start > 0 ? 206 : 200, headers: headers, body: Data(state.body[start...]))
            guard let cut = state.cuts.first, cut >= start else { return answer }
            state.cuts.removeFirst()
            return answer.cut(after: cut - start)
        }
    }
}

/// A file that is downloaded to a folder of its own.
final class Downloaded {
    let folder: TemporaryFolder
    let target: URL

    init() throws {
        folder = try TemporaryFolder()
        target = folder.url.appending(path: "file.bin")
    }

    var content: Data? { try? Data(contentsOf: target) }
    var partial: URL { folder.url.appending(path: "file.bin.partial") }
    var sidecar: URL { folder.url.appending(path: "file.bin.partial.json") }
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []).sorted() }

    /// Returns the error of a download to the file.
    func failure(of ask: Ask<Data>, _ session: NetworkSession) async -> NetworkError? {
        await TestSupport.networkError { try await NetworkManager(session).download(ask, to: target) }
    }
}
