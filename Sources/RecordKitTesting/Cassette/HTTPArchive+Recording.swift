import Foundation
import RecordKit

extension HTTPArchive.Entry {
    /// Creates the entry of an exchange, sensitive values redacted.
    init(
        _ call: NetworkCall, body: Data, _ outcome: Result<NetworkResponse, NetworkError>, start: Date,
        duration: Duration, _ redaction: Redaction
    ) {
        let milliseconds = (duration / .milliseconds(1)).rounded()
        self.init(
            startedDateTime: start.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            time: milliseconds, request: HTTPArchive.Request(call, body: body, redaction),
            timings: ["send": 0, "wait": milliseconds, "receive": 0])
        switch outcome {
        case .success(let answer): response = HTTPArchive.Response(answer, to: call, redaction)
        case .failure(let error):
            response = HTTPArchive.Response(
                _error: redaction.description(of: error), _failure: FailureKind(error).rawValue,
                _mayHaveReachedServer: error.mayHaveReachedServer)
        }
    }
}

extension HTTPArchive.Request {
    fileprivate init(_ call: NetworkCall, body: Data, _ redaction: Redaction) {
        let address = redaction.url(call.url)
        let query = RequestQuery(parsing: String(address.drop { $0 != "?" }.dropFirst())).items
        self.init(
            method: call.method.rawValue, url: address, headers: redaction.headers(call.headers),
            queryString: query.map { HTTPArchive.NameAndValue(name: $0.name, value: $0.value) }, bodySize: body.count)
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
        self.init(
            status: response.statusCode, httpVersion: "HTTP/1.1",
            // URLSession returns header fields in a random order.
            headers: redaction.headers(response.headers).sorted { $0.name.lowercased() < $1.name.lowercased() },
            content: HTTPArchive.Content(
                size: Double(response.body.count), mimeType: type, text: text, encoding: encoding),
            redirectURL: redaction.address(response.headers["Location"] ?? ""))
        if response.url != call.url { _url = redaction.url(response.url) }
    }
}

extension HTTPArchive {
    /// Returns bytes as a string, and the encoding of the string.
    fileprivate static func text(_ data: Data) -> (text: String, encoding: String?) {
        if let text = String(validating: data, as: UTF8.self) { return (text, nil) }
        return (data.base64EncodedString(), "base64")
    }
}
