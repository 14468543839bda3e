import Foundation
import RecordKit

extension HTTPArchive.Entry {
    /// Creates the entry of an exchange, sensitive values redacted.
    init(
        _ call: NetworkCall, body: Data, _ outcome: Result<NetworkResponse, NetworkError>, start: Date,
        duration: Duration, _ redaction: Redaction
    ) {
        let milliseconds = (duration / .milliseconds(1)).rounded()
        startedDateTime = start.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        time = milliseconds
        request = HTTPArchive.Request(call, body: body, redaction)
        response =
            switch outcome {
            case .success(let response): HTTPArchive.Response(response, to: call, redaction)
            case .failure(let error): HTTPArchive.Response(error, redaction)
            }
        cache = HTTPArchive.Cache()
        timings = HTTPArchive.Timings(wait: milliseconds)
    }
}

extension HTTPArchive.Request {
    fileprivate init(_ call: NetworkCall, body: Data, _ redaction: Redaction) {
        let address = redaction.url(call.url)
        method = call.method.rawValue
        url = address
        httpVersion = "HTTP/1.1"
        cookies = []
        headers = redaction.headers(call.headers)
        queryString = RequestQuery(parsing: String(address.drop { $0 != "?" }.dropFirst())).items.map {
            HTTPArchive.NameAndValue(name: $0.name, value: $0.value)
        }
        headersSize = -1
        bodySize = body.count
        if call.body != nil {
            let type = call.headers["Content-Type"] ?? call.body?.contentType ?? "application/octet-stream"
            let (text, encoding) = HTTPArchive.text(redaction.body(body, MediaType(type)))
            postData = HTTPArchive.PostData(mimeType: type, text: text, _encoding: encoding)
        }
    }
}

extension HTTPArchive.Response {
    fileprivate init(_ response: NetworkResponse, to call: NetworkCall, _ redaction: Redaction) {
        // Browsers write this for a response without a type. Another type would be replayed as the response's own.
        let type = response.headers["Content-Type"] ?? "x-unknown"
        let (text, encoding) = HTTPArchive.text(redaction.body(response.body, response.mediaType))
        status = response.statusCode
        statusText = ""
        httpVersion = "HTTP/1.1"
        cookies = []
        // URLSession returns header fields in a random order.
        headers = redaction.headers(response.headers).sorted { $0.name.lowercased() < $1.name.lowercased() }
        content = HTTPArchive.Content(
            size: response.body.count, mimeType: type, text: text, encoding: encoding)
        redirectURL = redaction.address(response.headers["Location"] ?? "")
        headersSize = -1
        bodySize = -1
        if response.url != call.url { _url = redaction.url(response.url) }
    }

    fileprivate init(_ error: NetworkError, _ redaction: Redaction) {
        self.init(
            status: 0, statusText: "", httpVersion: "", cookies: [], headers: [],
            content: HTTPArchive.Content(size: 0, mimeType: "x-unknown"), redirectURL: "", headersSize: -1,
            bodySize: -1, _error: redaction.description(of: error),
            _failure: FailureKind(error).rawValue, _mayHaveReachedServer: error.mayHaveReachedServer)
    }
}

extension HTTPArchive {
    /// Returns bytes as a string, and the encoding of the string.
    fileprivate static func text(_ data: Data) -> (text: String, encoding: String?) {
        if let text = String(validating: data, as: UTF8.self) { return (text, nil) }
        return (data.base64EncodedString(), "base64")
    }
}
