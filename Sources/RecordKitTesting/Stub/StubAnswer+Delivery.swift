import Foundation
import RecordKit

extension StubAnswer {
    /// What is sent of it to a request of this method.
    func sent(_ head: Head, to method: HTTPMethod, date: Date) -> Head {
        var sent = Head(status: head.status, headers: HTTPHeaders(), body: head.body)
        // As URLSession hands them over.
        for field in head.headers.fields where !sent.headers.contains(field.name) {
            sent.headers.add(field.name, String((head.headers[field.name] ?? field.value)[...].trimmed))
        }
        if head.status == 204 || head.status == 304 {
            // They have none, whatever is sent (RFC 9112 section 6.3).
            sent.body = Data()
        } else if !sent.headers.contains("Content-Length") {
            sent.headers["Content-Length"] = "\(head.body.count)"
        }
        if let skew = pace.skew {
            sent.headers["Date"] = HTTPDate(date.addingTimeInterval(skew / .seconds(1))).description
        }
        if method == .head { sent.body = Data() }
        return sent
    }

    /// How long a body of this length takes, for who reads it whole.
    func timeOfBody(_ length: Int) -> Duration {
        guard let drip = pace.drip else { return .zero }
        let sent = min(pace.cut ?? length, length)
        return drip.interval * (sent / drip.count + (sent % drip.count == 0 ? 0 : 1))
    }

    /// Whether the connection is lost before the end of a body of this length.
    func losesBody(_ length: Int) -> Bool {
        pace.cut.map { $0 < length } ?? false
    }

    /// Answers a call in the process, under the limits that a transport keeps: the timeout of an attempt, the size of a
    /// body, cancellation.
    func response(to call: NetworkCall, within time: inout AttemptTime) async throws(NetworkError) -> NetworkResponse {
        if let gate = pace.gate {
            do { try await gate.wait() } catch { throw .cancelled }
        }
        try await time.wait(pace.delay)
        if Task.isCancelled { throw .cancelled }
        let head: Head
        switch outcome {
        case .never: try await time.runOut()
        case .failure(let error):
            throw NetworkError(answering: call, with: error, wasRedirected: time.wasRedirected)
        case .response(let response): head = sent(response, to: call.method, date: call.clock.date())
        }

        var headers = head.headers
        headers.markSensitive(call.headers.sensitiveNames)
        var response = NetworkResponse(statusCode: head.status, headers: headers, url: call.url)
        if Redirects(of: call).applies(to: response) { return response }
        if call.delivery == .streamed, response.isSuccess {
            let stream = StubStream(head.body, of: self, to: call, time)
            response.stream = NetworkBytes(next: { () throws(NetworkError) in try await stream.next() }, cancel: {})
            return response
        }
        if head.body.count > call.sizeLimit { throw call.tooLarge }
        try await time.wait(timeOfBody(head.body.count))
        if losesBody(head.body.count) { throw .lostOnTheWay(call) }
        response.body = head.body
        return response
    }
}

extension NetworkError {
    /// The error that an answer holds, as a transport would tell it.
    init(answering call: NetworkCall, with error: any Error, wasRedirected: Bool = false) {
        self =
            (error as? NetworkError)
            ?? NetworkError(error, of: call, hasResponse: false, wasRedirected: wasRedirected)
    }

    static func lostOnTheWay(_ call: NetworkCall) -> NetworkError {
        NetworkError(URLError(.networkConnectionLost), of: call, hasResponse: true, wasRedirected: false)
    }
}
