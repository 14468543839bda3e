import Foundation
import RecordKit

/// The result of an entry in the form in which it is stored, so that the handler gets it again after a restart.
///
/// The handler gets this form the first time, too: what isn't stored is missing at once, and not only after a restart.
struct StoredResult: Codable, Sendable {
    /// The results without a response.
    enum Failure: Codable, Sendable {
        /// The request wasn't sent before its expiry.
        case expired
        /// The request may be sent once, and a server may have received it.
        case unknown
        /// The response was larger than its limit.
        case tooLarge(limit: Int, host: String)
        /// The server has responded, and the response could not be kept.
        case lost
    }

    private var failure: Failure?
    private var statusCode = 0
    private var url = ""
    private var fields: [[String]] = []
    /// The media type that was expected, if the response had another one.
    private var expectedType: String?
    private var body = Data()

    init(_ failure: Failure) {
        self.failure = failure
    }

    /// - Parameter expectedType: The media type that was expected, if the response was refused for its type.
    init(_ response: NetworkResponse, expectedType: String? = nil) {
        statusCode = response.statusCode
        // A query may have credentials.
        var address = URLComponents(url: response.url, resolvingAgainstBaseURL: true)
        address?.user = nil
        address?.password = nil
        address?.query = nil
        address?.fragment = nil
        url = address?.string ?? ""
        fields = response.headers.filter { field in
            Self.keptFields.contains(field.name.lowercased()) && !response.headers.isSensitive(field)
                && !Self.hasCredential(field, response.url)
        }.map { [$0.name, $0.value] }
        self.expectedType = expectedType
        body = response.body
    }

    /// The fields that are stored. None has a credential, unless it is in a URL.
    private static let keptFields: Set<String> = [
        "allow", "content-disposition", "content-language", "content-location", "content-type", "date", "etag",
        "last-modified", "location", "preference-applied", "request-id", "retry-after", "x-correlation-id",
        "x-request-id",
    ]

    /// Returns whether a field has a URL with a credential, or should be a URL and isn't.
    private static func hasCredential(_ field: HTTPHeaders.Field, _ base: URL) -> Bool {
        guard field.name.lowercased().hasSuffix("location") else { return false }
        guard URL(string: field.value, encodingInvalidCharacters: false) != nil,
            let url = URL(string: field.value, relativeTo: base)?.absoluteURL
        else { return true }
        return url.redacted() != url.absoluteString
    }

    /// Returns the response, or `nil` if there is none.
    func response(decoder: (any NetworkDecoder & Sendable)?) -> NetworkResponse? {
        guard failure == nil, let url = URL(string: url) else { return nil }
        let headers = HTTPHeaders(
            fields.compactMap { $0.count == 2 ? HTTPHeaders.Field(name: $0[0], value: $0[1]) : nil })
        var response = NetworkResponse(statusCode: statusCode, headers: headers, body: body, url: url)
        response.decoder = decoder
        return response
    }

    /// Reads it as the result of the request of an entry.
    func result<Request: NetworkRequest>(
        of request: Request, _ entry: OutboxEntry, _ response: NetworkResponse?
    ) -> Request.ResultType {
        guard let response else { return request.handleError(error(of: entry)) }
        guard let expectedType, let type = response.mediaType else { return request.handleResponse(response) }
        let cause = NetworkResponse.ReadingError.unexpectedType(type, expected: expectedType)
        return request.handleError(
            .decoding(NetworkError.DecodingFailure(type: expectedType, response: response, cause: cause)))
    }

    private func error(of entry: OutboxEntry) -> NetworkError {
        switch failure {
        case .expired:
            let time = min(max(entry.expiry?.timeIntervalSince(entry.added) ?? 0, 0), Outbox.longestWait)
            return .timedOut(
                NetworkError.Timeout(
                    limit: .deadline, after: .seconds(time), host: "the server",
                    mayHaveReachedServer: entry.mayHaveReachedServer))
        case .unknown: return .cancelled
        case .tooLarge(let limit, let host): return .tooLarge(NetworkError.TooLarge(limit: limit, host: host))
        case .lost, nil:
            return .file(NetworkError.FileFailure(fileName: "response", reason: .other))
        }
    }
}
