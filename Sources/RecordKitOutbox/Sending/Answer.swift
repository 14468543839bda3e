import Foundation
import RecordKit
import RecordKitDigest

/// The result of an entry in the form in which it is stored, so that the handler gets it again after a restart.
///
/// The handler gets this form the first time, too: what isn't stored is missing at once, and not only after a restart.
struct Answer: Codable, Sendable {
    /// The results without a response.
    enum Failure: String, Codable, Sendable {
        /// The request wasn't sent before its expiry.
        case expired
        /// The request may be sent once, and a server may have received it.
        case unknown
        /// The response was larger than its limit.
        case tooLarge
        /// The server has responded, and the response could not be kept.
        case lost
    }

    var failure: Failure?
    /// The length of the limit: seconds until the expiry, or bytes of a response.
    var limit = 0.0
    var host = "the server"
    var mayHaveReachedServer = true
    private var statusCode = 0
    private var url = ""
    private var fields: [[String]] = []
    /// The media type that was expected, if the response had another one.
    private var expectedType: String?
    /// The body, unless it is in a file of the entry's folder.
    private var body = Data()
    private var file: String?
    private var digest: Data?

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
                && !Self.hasCredential(field.value, response.url)
        }.map { [$0.name, $0.value] }
        self.expectedType = expectedType
        body = response.body
    }

    /// The fields that are stored. None has a credential, unless it is in a URL.
    private static let keptFields: Set<String> = [
        "allow", "content-disposition", "content-language", "content-location", "content-type", "date", "etag",
        "last-modified", "link", "location", "preference-applied", "request-id", "retry-after", "x-correlation-id",
        "x-request-id",
    ]

    private static func hasCredential(_ value: String, _ base: URL) -> Bool {
        guard let url = URL(string: value, relativeTo: base)?.absoluteURL else { return false }
        return url.redacted() != url.absoluteString
    }

    /// The largest body that is stored in the database, in bytes.
    private static let bodyLimit = 1 << 20

    /// Moves a large body to a file.
    func spilled(to folder: EntryFolder) throws -> Answer {
        guard body.count > Self.bodyLimit else { return self }
        var answer = self
        answer.digest = Self.digest(of: body)
        answer.file = try folder.write(body)
        answer.body = Data()
        return answer
    }

    /// Reads a body from its file. If that can't be read, the response is lost.
    func collected(from folder: EntryFolder) -> Answer {
        guard let file else { return self }
        guard let body = try? Data(contentsOf: folder.url.appending(path: file)), Self.digest(of: body) == digest else {
            return Answer(.lost)
        }
        var answer = self
        answer.body = body
        return answer
    }

    private static func digest(of data: Data) -> Data { Data(MessageDigest.of(data, .sha256).bytes) }

    /// The response, or `nil` if there is none.
    var response: NetworkResponse? {
        guard failure == nil, let url = URL(string: url) else { return nil }
        let headers = HTTPHeaders(
            fields.compactMap { $0.count == 2 ? HTTPHeaders.Field(name: $0[0], value: $0[1]) : nil })
        return NetworkResponse(statusCode: statusCode, headers: headers, body: body, url: url)
    }

    /// Reads the answer as the result of its request.
    func result<Request: NetworkRequest>(of request: Request) -> Request.ResultType {
        switch failure {
        case .expired:
            return request.handleError(
                .timedOut(
                    NetworkError.Timeout(
                        limit: .deadline, after: .seconds(limit), host: host,
                        mayHaveReachedServer: mayHaveReachedServer)))
        case .unknown: return request.handleError(.cancelled)
        case .tooLarge: return request.handleError(.tooLarge(NetworkError.TooLarge(limit: Int(limit), host: host)))
        case .lost: return request.handleError(.file(Self.lost))
        case nil:
            guard let response else { return request.handleError(.file(Self.lost)) }
            guard let expectedType, let type = response.mediaType else { return request.handleResponse(response) }
            let cause = NetworkResponse.ReadingError.unexpectedType(type, expected: expectedType)
            return request.handleError(
                .decoding(NetworkError.DecodingFailure(type: expectedType, response: response, cause: cause)))
        }
    }

    private static let lost = NetworkError.FileFailure(fileName: "response", reason: .other)
}
