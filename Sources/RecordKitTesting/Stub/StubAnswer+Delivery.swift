import Foundation
import RecordKit

extension StubAnswer {
    /// A response as it leaves the server.
    struct Head {
        var status: Int
        var headers: HTTPHeaders
        var body: Data
    }

    /// What is sent to a request of this method, when anything is.
    func head(for method: HTTPMethod, date: Date) -> Head? {
        guard case .response(let status, let given, var body) = outcome else { return nil }
        // As URLSession hands them over.
        var headers = HTTPHeaders()
        for field in given.fields where !headers.contains(field.name) {
            headers.add(field.name, String((given[field.name] ?? field.value)[...].trimmed))
        }
        if status == 204 || status == 304 {
            // They have none, whatever is sent (RFC 9112 section 6.3).
            body = Data()
        } else if !headers.contains("Content-Length") {
            headers["Content-Length"] = "\(body.count)"
        }
        if let skew = pace.skew {
            headers["Date"] = HTTPDate(date.addingTimeInterval(skew / .seconds(1))).description
        }
        return Head(status: status, headers: headers, body: method == .head ? Data() : body)
    }

    var isNever: Bool {
        if case .never = outcome { true } else { false }
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
        if isNever { try await time.runOut() }
        if case .failure(let error) = outcome {
            throw NetworkError(answering: call, with: error, wasRedirected: time.wasRedirected)
        }
        guard let head = head(for: call.method, date: call.clock.date()) else { throw .cancelled }

        var headers = head.headers
        headers.markSecret(call.headers.secretNames)
        var response = NetworkResponse(statusCode: head.status, headers: headers, url: call.url)
        if Redirects(of: call).apply(to: response) { return response }
        if call.delivery == .streamed, response.isSuccess {
            let stream = StubStream(head.body, of: self, to: call, time)
            response.stream = NetworkBytes(next: { () throws(NetworkError) in try await stream.next() }, cancel: {})
            return response
        }
        if let limit = call.options.sizeLimit, head.body.count > limit {
            throw .tooLarge(TooLarge(limit: limit, host: call.url.hostAndPort))
        }
        try await time.wait(timeOfBody(head.body.count))
        if losesBody(head.body.count) { throw .lostOnTheWay(call) }
        response.body = head.body
        return response
    }
}

/// What is left of the time that one attempt may take, all its redirects included.
struct AttemptTime {
    private var call: NetworkCall
    private var left: Duration
    /// Whether some server has had the request before this one.
    private(set) var wasRedirected = false

    init(of call: NetworkCall) {
        self.call = call
        left = call.timeout
    }

    mutating func follow(_ next: NetworkCall) {
        call = next
        wasRedirected = true
    }

    mutating func wait(_ duration: Duration) async throws(NetworkError) {
        if duration <= .zero { return }
        if duration > left { try await runOut() }
        left -= duration
        try await call.sleep(for: duration)
    }

    func runOut() async throws(NetworkError) -> Never {
        try await call.sleep(for: left)
        throw .timedOut(Timeout(limit: .attempt, after: call.timeout, host: call.url.hostAndPort))
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
