import Foundation

extension NetworkCall {
    /// Returns the response, if a 2xx with a body has the type that the options expect. One that names no type may be
    /// anything (RFC 9110 section 8.3).
    func checkingType(of response: NetworkResponse) -> NetworkCall.Outcome {
        // Most calls expect anything, and reading media types costs more than the rest of the way through.
        guard let expected = options.expectedType, expected != "*/*", response.isSuccess,
            !response.body.isEmpty || response.stream != nil, let range = MediaType(expected),
            let received = response.mediaType, !received.isIn(range)
        else { return .success(response) }
        var response = response
        // An error keeps no transfer alive.
        if response.stream != nil { response.body = Data() }
        let cause = NetworkResponse.Unreadable.unexpectedType(received, expected: expected)
        return .failure(.decoding(NetworkError.DecodingFailure(type: expected, response: response, cause: cause)))
    }
}
