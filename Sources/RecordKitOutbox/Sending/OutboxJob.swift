import Foundation
import RecordKit
import RecordKitInterceptors

/// An entry's request, without its type.
protocol OutboxJob: Sendable {
    /// Whether the request may reach the server once at most: `RequestOptions.retry` is `.never`.
    var isAtMostOnce: Bool { get }

    /// Sends the request with the stored bytes of its body.
    ///
    /// - Parameter conflicts: The number of responses with 409 in a row, or `nil` if no server can have received the
    ///   request before.
    func send(
        _ entry: OutboxEntry, _ body: StoredBody, conflicts: Int?, in folder: EntryFolder,
        by client: any NetworkClient, now: Date
    ) async -> OutboxAttempt

    /// Calls the handler of the kind.
    func handle(_ entry: OutboxEntry, _ result: StoredResult, by client: any NetworkClient) async throws
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
    let tryAgain: @Sendable (Request.ResultType, NetworkResponse) -> Bool
    let handler: @Sendable (OutboxReply<Request>) async throws -> Void

    private static var keyHeader: String { "Idempotency-Key" }
    /// The number of responses with 409 in a row after which a 409 is the answer: a server that knows no keys says that
    /// the record exists already.
    private static var conflictLimit: Int { 8 }

    var isAtMostOnce: Bool { request.options.retry == .never }

    func send(
        _ entry: OutboxEntry, _ body: StoredBody, conflicts: Int?, in folder: EntryFolder,
        by client: any NetworkClient, now: Date
    ) async -> OutboxAttempt {
        let own: HTTPHeaders = request.headers
        let options = request.options
        let hasContentType = own.contains("Content-Type")
        let outcome = await client.outcome(of: request) { (call) throws(NetworkError) in
            call.setOutboxEntry(entry)
            try body.replaceBody(of: &call, hasContentType: hasContentType, in: folder)
            // The outbox repeats calls itself, and an interceptor that does so, too, would multiply them.
            call.options.retry = .never
            // The response to a GET isn't one to this request.
            if options.redirects == nil { call.options.redirects = .sameMethod(call.options.redirects ?? .follow()) }
            if !call.method.isIdempotent, !call.headers.contains(Self.keyHeader) {
                call.headers[Self.keyHeader] = entry.key
            }
        }
        let hasKey = !request.method.isIdempotent && !own.contains(Self.keyHeader)
        let types = [own["Accept"], options.expectedType].compactMap { $0?.lowercased() }
        let received = ReceivedOutcome(
            failure: outcome.failure, response: outcome.response, hasOwnRedirects: options.redirects != nil,
            acceptsHTML: types.contains { $0.contains("text/html") } || Request.ValueType.self == String.self
                || Request.ValueType.self == Data.self,
            isRepeat: hasKey && conflicts.map { $0 + 1 < Self.conflictLimit } ?? false, now: now,
            wantsAgain: { tryAgain(outcome.result, $0) })
        return OutboxAttempt(
            verdict: received.verdict, reached: outcome.failure?.mayHaveReachedServer ?? true,
            response: outcome.response ?? outcome.failure?.response)
    }

    func handle(_ entry: OutboxEntry, _ result: StoredResult, by client: any NetworkClient) async throws {
        let response = result.response(decoder: client.session?.configuration.decoder)
        try await handler(
            OutboxReply(
                entry: entry, request: request, result: result.result(of: request, entry, response),
                response: response))
    }
}
