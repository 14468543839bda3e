public import Foundation
public import RecordKit

extension NetworkClient {
    /// Returns the body of a response in chunks of any size, as they arrive.
    ///
    /// ```swift
    /// var digest = MessageDigest(.sha256)
    /// for try await chunk in network.chunks(for: Backup()) {
    ///     digest.update(chunk)
    /// }
    /// ```
    ///
    /// A response other than 2xx fails with `NetworkError.status(_:)` before the first chunk, with the body of the
    /// response. The request's `handleResponse` isn't called. The timeout applies to the head, and then to each wait
    /// for a chunk. The deadline applies to the whole.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The chunks. The call starts when they are read.
    public func chunks<Request: NetworkRequest>(
        for request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkSequence<Data, Request.ErrorType> where Request.ErrorType: NetworkFailure {
        parsed(request, configure) { _ in ChunkPassing() }
    }

    /// Returns the lines of a response as they arrive. They end with LF, CR LF or CR.
    ///
    /// The body is UTF-8. Bytes that aren't valid become U+FFFD. A last line without a terminator is a line too. A line
    /// longer than `RequestOptions.sizeLimit` fails with `NetworkError.tooLarge(_:)`. All else is as in
    /// ``chunks(for:configure:)``.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The lines, without their terminators. The call starts when they are read.
    public func lines<Request: NetworkRequest>(
        for request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkSequence<String, Request.ErrorType> where Request.ErrorType: NetworkFailure {
        parsed(request, configure) { LineParser(for: $0.call) }
    }

    /// Returns the server-sent events of a response as they arrive, and reconnects when the connection ends.
    ///
    /// ```swift
    /// for try await event in network.events(for: Changes()) {
    ///     print(event.type, event.data)
    /// }
    /// ```
    ///
    /// `Accept` asks for `text/event-stream`, and a response of another type fails with
    /// `NetworkError.decoding(_:)`. The events are read according to the WHATWG HTML standard: an event whose final
    /// empty line is missing is dropped. A reconnect sends the ID of the last event as `Last-Event-ID`. The status 204
    /// ends the sequence.
    ///
    /// The deadline of the configuration doesn't apply. One of the request applies to all connections together. The
    /// wait for a reconnect counts as a call in flight, and is timed by the configuration's clock. A line, or the data
    /// of an event, that exceeds `RequestOptions.sizeLimit` fails with `NetworkError.tooLarge(_:)`. All else is
    /// as in ``chunks(for:configure:)``.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - reconnect: The rule for reconnects. By default, only requests with a safe method reconnect, without a limit.
    ///   - configure: Changes the call of each connection before the interceptors.
    /// - Returns: The events. The call starts when they are read.
    public func events<Request: NetworkRequest>(
        for request: Request, reconnect: ReconnectPolicy = .standard,
        configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkSequence<ServerSentEvent, Request.ErrorType> where Request.ErrorType: NetworkFailure {
        NetworkSequence(EventSource(of: request, from: self, policy: reconnect, configure))
    }
}

extension NetworkClient {
    /// Returns the elements that a parser finds in the response of a request.
    private func parsed<Request: NetworkRequest, Parser: ChunkParser>(
        _ request: Request, _ configure: @escaping NetworkCall.Change,
        parser: @escaping @Sendable (StreamedResponse) throws(NetworkError) -> Parser
    ) -> NetworkSequence<Parser.Element, Request.ErrorType> where Request.ErrorType: NetworkFailure {
        NetworkSequence(
            ParsedBody<Request.ErrorType, Parser>(
                open: { await opened(request, $0, configure) }, makeParser: parser))
    }
}
