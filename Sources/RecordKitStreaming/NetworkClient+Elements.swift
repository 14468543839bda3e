import Foundation
public import RecordKit

extension NetworkClient {
    /// Returns the elements of a list as they arrive, so that a list of any length needs little memory.
    ///
    /// ```swift
    /// for try await record in network.elements(for: AllRecords()) {
    ///     print(record.title)
    /// }
    /// ```
    ///
    /// The request's value is a list, such as `[Record]`. The body is UTF-8, in one of these formats:
    /// - A JSON array, or objects that have it at `path`. Their other members are skipped without being decoded.
    /// - One value per line (NDJSON, JSON Lines). Blank lines are skipped.
    /// - A JSON text sequence (RFC 7464). A truncated element is dropped and reported as
    ///   ``RecordKit/NetworkEvent/Kind/truncatedElement``.
    ///
    /// An element is decoded as soon as its last byte has arrived: by the request's `NetworkRequest.decoder`, that of
    /// the configuration, or a `JSONDecoder`. A decoder of your own decodes the bytes of each element. The request's
    /// `handleResponse` isn't called.
    ///
    /// An element, or a list, that isn't valid fails with `NetworkError.decoding(_:)`. The error has the index of the
    /// element, and no value of it. The elements before it are returned first. An element larger than
    /// `RequestOptions.sizeLimit` fails with `NetworkError.tooLarge(_:)`. A decoder of another format, such
    /// as XML, fails with `NetworkError.invalidRequest(_:)`, and nothing is sent. All else is as in
    /// ``chunks(for:configure:)``.
    ///
    /// - Parameters:
    ///   - request: The request to send. Set `Accept` in its headers if the server chooses the format by it.
    ///   - path: The names of the members that lead to the array, separated by dots, such as `results.items`. `nil` if
    ///     the body is the array.
    ///   - format: The format. `nil` for the one that `Content-Type` names, which is an array unless it is a type such
    ///     as `application/x-ndjson`, `application/jsonl` or `application/json-seq`.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The elements. The call starts when they are read.
    public func elements<Request: NetworkRequest>(
        for request: Request, at path: String? = nil, format: ElementFormat? = nil,
        configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkSequence<Request.ValueType.Element, Request.ErrorType>
    where
        Request.ErrorType: NetworkFailure, Request.ValueType: Collection,
        Request.ValueType.Element: Decodable & Sendable
    {
        let names = path.map { $0.isEmpty ? [] : $0.components(separatedBy: ".") } ?? []
        let type = String(reflecting: Request.ValueType.self)
        return NetworkSequence(
            ParsedBody<Request.ErrorType, ElementParser<Request.ValueType.Element>>(
                open: { lifetime in
                    await opened(request, lifetime) { [session] call throws(NetworkError) in
                        try call.check(request.decoder ?? session?.configuration.decoder)
                        try configure(&call)
                    }
                },
                makeParser: { (body) throws(NetworkError) in
                    try ElementParser(of: body, as: type, path: names, format: format) { [head = body.head] in
                        request.decoder ?? head.decoder ?? JSONDecoder()
                    }
                }))
    }
}

extension NetworkCall {
    /// Throws an error if a decoder doesn't decode JSON.
    fileprivate func check(_ decoder: (any NetworkDecoder)?) throws(NetworkError) {
        guard let type = decoder?.contentType else { return }
        if let media = MediaType(type), media.isJSON || ElementFormat(of: media) != .array { return }
        throw .invalidRequest(
            NetworkError.InvalidRequest(
                request: name, member: .decoder,
                reason: "it decodes \(type), whose elements can't be told apart; use a decoder of JSON"))
    }
}
