import Foundation
public import RecordKit

extension StubServer {
    /// Responds to requests that match a pattern.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the requests.
    ///   - responses: The responses. They are used in order, the last one repeatedly.
    public func respond(to pattern: StubPattern, with responses: StubResponse...) {
        respond(to: pattern, with: responses)
    }

    /// Responds to requests that match a pattern.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the requests.
    ///   - responses: The responses. They are used in order, the last one repeatedly.
    public func respond(to pattern: StubPattern, with responses: [StubResponse]) {
        let next = responses.inTurn()
        book.add(pattern, responseCount: max(responses.count, 1)) { _ in
            guard let response = next() else { throw StubError.noResponse }
            return response
        }
    }

    /// Responds to requests that match a pattern with the result of a closure.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the requests.
    ///   - handler: Returns the response. It must not block. An error that it throws ends the request.
    public func respond(to pattern: StubPattern, with handler: @escaping @Sendable (StubRequest) throws -> StubResponse)
    {
        book.add(pattern, respond: handler)
    }

    /// Responds to a request with its value, encoded by the request's encoder, or by that of the server.
    ///
    /// Method, URL, body, and the header fields that the request sets itself must match. JSON and forms are compared by
    /// their meaning. Multipart bodies, files and streams aren't compared.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - value: The value.
    ///   - status: The status. Default: 200.
    /// - Throws: `NetworkError.invalidRequest(_:)` if the request can't be built. The error of the encoder.
    ///   ``StubError/unfitResponse(request:reason:)`` if the request can't read the encoded value: if its server wraps
    ///   the value, pass the body instead.
    public func respond<Request: NetworkRequest>(
        to request: Request, with value: Request.ValueType, status: Int = 200
    ) throws where Request.ValueType: Encodable {
        let pattern = try StubPattern(request, in: configuration)
        let response = try StubResponse.success(of: request, value, status: status, in: configuration)
        respond(to: pattern, with: [response])
    }

    /// Responds to a request, for example with `.status(404)`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - responses: The responses. They are used in order, the last one repeatedly.
    /// - Throws: `NetworkError.invalidRequest(_:)` if the request can't be built.
    public func respond(
        to request: some NetworkRequest, with responses: StubResponse...
    ) throws(NetworkError) {
        try respond(to: request, with: responses)
    }

    // Disfavored, so that `with: []` is an empty list as the value of the request, not a stub without responses.
    /// Responds to a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - responses: The responses. They are used in order, the last one repeatedly.
    /// - Throws: `NetworkError.invalidRequest(_:)` if the request can't be built.
    @_disfavoredOverload
    public func respond(
        to request: some NetworkRequest, with responses: [StubResponse]
    ) throws(NetworkError) {
        respond(to: try StubPattern(request, in: configuration), with: responses)
    }
}

extension StubResponse {
    /// Returns the response of a server with a value, checked by the request that reads it.
    fileprivate static func success<Request: NetworkRequest>(
        of request: Request, _ value: Request.ValueType, status: Int, in configuration: NetworkConfiguration
    ) throws -> StubResponse where Request.ValueType: Encodable {
        let encoder: any NetworkEncoder = request.encoder ?? configuration.encoder ?? JSONEncoder()
        let body: EncodedBody =
            if let value = value as? any ReadAsItIs, value.isNil {
                // JSON's null would be read as a string of four letters.
                EncodedBody(Data(), contentType: encoder.contentType)
            } else if let value = value as? any NetworkEncodable {
                try value.encoded(using: encoder)
            } else {
                try EncodedBody(encoder.encode(value), contentType: encoder.contentType)
            }
        guard case .data(let data) = body.content else { throw StubError.noResponse }
        let call = try request.call(in: configuration)
        let type = body.contentType
        var response = NetworkResponse(
            statusCode: status, headers: ["Content-Type": type], body: data, url: call.url)
        response.decoder = configuration.decoder
        if case .failure(let error) = request.handleResponse(response) {
            throw StubError.unfitResponse(request: call.name, reason: "\(error)")
        }
        return .data(data, contentType: type, status: status)
    }
}

/// An optional of a type that is read without a decoder, such as a string or data.
private protocol ReadAsItIs {
    var isNil: Bool { get }
}

extension Optional: ReadAsItIs where Wrapped: NetworkValue {
    fileprivate var isNil: Bool { self == nil }
}
