import Foundation
import RecordKit
import Synchronization

extension StubResponse {
    /// Returns what is sent in response to a request.
    func sent(_ head: Head, to method: HTTPMethod, date: Date) -> Head {
        var sent = Head(status: head.status, headers: HTTPHeaders(), body: head.body, trailers: head.trailers)
        // As URLSessionTransport returns them.
        for field in head.headers {
            if field.name.lowercased() == "set-cookie" {
                sent.headers.add(field.name, field.value)
                continue
            }
            if sent.headers.contains(field.name) { continue }
            sent.headers.add(field.name, (head.headers[field.name] ?? field.value).trimmingCharacters(in: .whitespaces))
        }
        if head.status == 204 || head.status == 304 {
            // These statuses have no body (RFC 9112 section 6.3).
            sent.body = Data()
        } else if pace.script == nil, !sent.headers.contains("Content-Length") {
            sent.headers["Content-Length"] = "\(head.body.count)"
        }
        sent.headers = shifted(sent.headers, date)
        if method == .head { sent.body = Data() }
        return sent
    }

    /// Returns header fields with the date of the server's clock, if that is wrong.
    func shifted(_ headers: HTTPHeaders, _ date: Date) -> HTTPHeaders {
        guard let skew = pace.skew else { return headers }
        var headers = headers
        headers["Date"] = HTTPDate(date.addingTimeInterval(skew / .seconds(1))).description
        return headers
    }

    /// Returns the steps in which a stub sends a body.
    func arrival(of body: Data) -> [Step] { paced(script(of: body)) }

    /// Responds to a call, with the delays of the response, according to the call's clock. The library applies the
    /// limits.
    func response(to call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        // Delays between two gates are one sleep.
        var delay = Duration.zero
        for wait in pace.waits {
            if case .delay(let duration) = wait.action { delay += duration }
            guard case .wait(let gate) = wait.action else { continue }
            if delay > .zero { try await call.sleep(for: delay) }
            delay = .zero
            do { try await gate.wait() } catch { throw .cancelled }
        }
        if delay > .zero { try await call.sleep(for: delay) }
        if Task.isCancelled { throw .cancelled }
        switch outcome {
        case .never:
            while true { try await call.sleep(for: .seconds(366 * 86_400)) }
        case .failure(let error): throw NetworkError(respondingTo: call, with: error)
        case .response(let response):
            let head = sent(response, to: call.method, date: call.clock.date())
            var response = NetworkResponse(
                statusCode: head.status, headers: head.headers, content: content(head, of: call), url: call.url)
            response.trailers = head.trailers
            return response
        }
    }

    private func content(_ head: Head, of call: NetworkCall) -> NetworkResponse.Content {
        let body = head.body
        let isWhole = pace.script == nil && pace.drip == nil && pace.cut.map { $0.count >= body.count } ?? true
        if isWhole && call.delivery == .buffered || call.method == .head { return .data(body) }
        let sending = Mutex<Task<Void, Never>?>(nil)
        let (bytes, writer) = NetworkBytes.makeStream { sending.withLock { $0 }?.cancel() }
        let task = Task {
            do {
                try await send(head, to: writer, of: call)
            } catch {
                writer.finish(throwing: .cancelled)
            }
        }
        sending.withLock { $0 = task }
        return .stream(bytes)
    }

    private func send(_ head: Head, to writer: NetworkBytes.Writer, of call: NetworkCall) async throws {
        for step in arrival(of: head.body) {
            switch step.action {
            case .chunk(let bytes) where bytes.isEmpty: break
            case .chunk(let bytes), .body(let bytes), .send(let bytes), .head(let bytes, _): writer.write(bytes)
            case .delay(let duration): try await call.clock.sleep(duration)
            case .wait(let gate): try await gate.wait()
            // A gate that stays closed.
            case .hold: try await ResponseGate().wait()
            case .close, .reset: return writer.finish(throwing: .lostOnTheWay(call))
            }
        }
        writer.finish(trailers: head.trailers)
    }
}

extension NetworkError {
    /// Creates the error of a response as a transport would report it.
    init(respondingTo call: NetworkCall, with error: any Error) {
        self = (error as? NetworkError) ?? NetworkError(error, for: call, hasSentBody: false)
    }

    static func lostOnTheWay(_ call: NetworkCall) -> NetworkError {
        NetworkError(URLError(.networkConnectionLost), for: call, hasResponse: true)
    }
}
