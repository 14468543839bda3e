import Foundation
public import RecordKit

extension StubServer {
    /// Responds to requests that match a pattern.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the requests.
    ///   - answers: The responses. They are used in order, the last one repeatedly.
    public func answer(_ pattern: StubPattern, with answers: StubAnswer...) {
        answer(pattern, with: answers)
    }

    /// Responds to requests that match a pattern.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the requests.
    ///   - answers: The responses. They are used in order, the last one repeatedly.
    public func answer(_ pattern: StubPattern, with answers: [StubAnswer]) {
        let next = answers.inTurn()
        book.add(pattern, answerCount: max(answers.count, 1)) { _ in
            guard let answer = next() else { throw StubError.noAnswer }
            return answer
        }
    }

    /// Responds to requests that match a pattern with the result of a closure.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the requests.
    ///   - answer: Returns the response. It must not block. An error that it throws ends the request.
    public func answer(_ pattern: StubPattern, with answer: @escaping @Sendable (StubRequest) throws -> StubAnswer) {
        book.add(pattern, answer: answer)
    }

    /// Responds to a request with its value, encoded by the request's own encoder.
    ///
    /// Method, URL, body, and the header fields that the request sets itself must match. JSON and forms are compared by
    /// their meaning. Multipart bodies, files and streams aren't compared.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - value: The value.
    ///   - status: The status. Default: 200.
    /// - Throws: `NetworkError.invalidRequest(_:)` if the request can't be built. The error of the encoder.
    ///   ``StubError/unfitAnswer(request:reason:)`` if the request can't read the encoded value: if its server wraps
    ///   the value, pass the body instead.
    public func answer<Request: NetworkRequest>(
        _ request: Request, with value: Request.ValueType, status: Int = 200
    ) throws where Request.ValueType: Encodable {
        let pattern = try StubPattern(request, in: environment)
        let answer = try StubAnswer.success(of: request, value, status: status, in: environment)
        self.answer(pattern, with: [answer])
    }

    /// Responds to a request, for example with `.status(404)`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - answers: The responses. They are used in order, the last one repeatedly.
    /// - Throws: `NetworkError.invalidRequest(_:)` if the request can't be built.
    public func answer(
        _ request: some NetworkRequest, with answers: StubAnswer...
    ) throws(NetworkError) {
        try answer(request, with: answers)
    }

    // Disfavored, so that `with: []` is an empty list as the value of the request, not a stub without responses.
    /// Responds to a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - answers: The responses. They are used in order, the last one repeatedly.
    /// - Throws: `NetworkError.invalidRequest(_:)` if the request can't be built.
    @_disfavoredOverload
    public func answer(
        _ request: some NetworkRequest, with answers: [StubAnswer]
    ) throws(NetworkError) {
        answer(try StubPattern(request, in: environment), with: answers)
    }
}

extension StubAnswer {
    /// Returns the response of a server with a value, checked by the request that reads it.
    fileprivate static func success<Request: NetworkRequest>(
        of request: Request, _ value: Request.ValueType, status: Int, in environment: NetworkEnvironment
    ) throws -> StubAnswer where Request.ValueType: Encodable {
        let encoder = try request.bodyEncoder()
        let body: EncodedBody =
            if let value = value as? any ReadAsItIs, value.isNil {
                // JSON's null would be read as a string of four letters.
                EncodedBody(Data(), contentType: encoder.contentType)
            } else if let value = value as? any NetworkEncodable {
                try value.encoded(using: encoder)
            } else {
                try EncodedBody(encoder.encode(value), contentType: encoder.contentType)
            }
        guard case .data(let data) = body.content else { throw StubError.noAnswer }
        let call = try request.call(in: environment)
        let type = body.contentType
        let response = NetworkResponse(
            statusCode: status, headers: ["Content-Type": type], body: data, url: call.url)
        if case .failure(let error) = request.handleResponse(response) {
            throw StubError.unfitAnswer(request: call.name, reason: "\(error)")
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
