import Foundation
import RecordKit
import RecordKitInterceptors

/// An entry's request, without its type.
protocol OutboxJob: Sendable {
    /// Whether the request may reach the server once at most: `RequestOptions.retry` is `.never`.
    var isAtMostOnce: Bool { get }

    /// Encodes the body.
    func body(in folder: EntryFolder) async throws -> StoredBody

    /// Sends the request with the stored bytes of its body.
    func send(
        _ entry: OutboxEntry, _ body: StoredBody, in folder: EntryFolder, by client: any NetworkClient,
        now: @Sendable () -> Date
    ) async -> OutboxAttempt

    /// Calls the handler of the kind.
    func handle(_ entry: OutboxEntry, _ answer: Answer) async throws
}

/// The outcome of a call.
struct OutboxAttempt: Sendable {
    var verdict: Verdict
    /// Whether the server may have received the request in this attempt.
    var reached: Bool
    /// The response, whatever the verdict.
    var response: NetworkResponse?
}

/// A request with its handler.
struct TypedJob<Request: NetworkRequest & Codable>: OutboxJob {
    let request: Request
    let tryAgain: @Sendable (Request.ResultType) -> Bool
    let handler: @Sendable (OutboxReply<Request>) async throws -> Void

    var isAtMostOnce: Bool { options.retry == .never }

    private var options: RequestOptions { request.options }

    func body(in folder: EntryFolder) async throws -> StoredBody {
        try await StoredBody(request, in: folder)
    }

    func send(
        _ entry: OutboxEntry, _ body: StoredBody, in folder: EntryFolder, by client: any NetworkClient,
        now: @Sendable () -> Date
    ) async -> OutboxAttempt {
        let own: HTTPHeaders = request.headers
        let hasContentType = own.contains("Content-Type")
        let outcome = await client.outcome(of: request) { (call) throws(NetworkError) in
            call.setOutboxEntry(entry)
            try body.replaceBody(of: &call, hasContentType: hasContentType, in: folder)
            // The outbox repeats calls itself, and an interceptor that does so, too, would multiply them.
            call.options.retry = .never
            if !call.method.isIdempotent, !call.headers.contains(Self.keyHeader) {
                call.headers.markSensitive([Self.keyHeader])
                call.headers[Self.keyHeader] = entry.key
            }
        }
        let verdict = Verdict(
            outcome.failure, outcome.response, wantsAgain: tryAgain(outcome.result), now: now())
        return OutboxAttempt(
            verdict: verdict, reached: outcome.failure?.mayHaveReachedServer ?? true,
            response: outcome.response ?? outcome.failure?.response)
    }

    func handle(_ entry: OutboxEntry, _ answer: Answer) async throws {
        try await handler(
            OutboxReply(
                entry: entry, request: request, result: answer.result(of: request, entry), response: answer.response))
    }

    private static var keyHeader: String { "Idempotency-Key" }
}
