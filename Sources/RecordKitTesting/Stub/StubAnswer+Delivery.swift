import Foundation
import RecordKit
import Synchronization

extension StubAnswer {
    /// Returns what is sent in response to a request.
    func sent(_ head: Head, to method: HTTPMethod, date: Date) -> Head {
        var sent = Head(status: head.status, headers: HTTPHeaders(), body: head.body)
        // As URLSession returns them.
        for field in head.headers.fields where !sent.headers.contains(field.name) {
            sent.headers.add(field.name, (head.headers[field.name] ?? field.value).trimmingCharacters(in: .whitespaces))
        }
        if head.status == 204 || head.status == 304 {
            // These statuses have no body (RFC 9112 section 6.3).
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

    /// Returns the time that a body takes to arrive completely.
    func timeOfBody(_ length: Int) -> Duration {
        guard let drip = pace.drip else { return .zero }
        let sent = min(pace.cut ?? length, length)
        return drip.interval * (sent / drip.count + (sent % drip.count == 0 ? 0 : 1))
    }

    /// Returns whether the connection is lost before the end of a body.
    func losesBody(_ length: Int) -> Bool {
        pace.cut.map { $0 < length } ?? false
    }

    /// Responds to a call, with the delays of the response, according to the call's clock. The library applies the
    /// limits.
    func response(to call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if let gate = pace.gate {
            do { try await gate.wait() } catch { throw .cancelled }
        }
        if pace.delay > .zero { try await call.sleep(for: pace.delay) }
        if Task.isCancelled { throw .cancelled }
        switch outcome {
        case .never:
            while true { try await call.sleep(for: .seconds(366 * 86_400)) }
        case .failure(let error): throw NetworkError(answering: call, with: error)
        case .response(let response):
            let head = sent(response, to: call.method, date: call.clock.date())
            return NetworkResponse(
                statusCode: head.status, headers: head.headers, content: content(head.body, of: call), url: call.url)
        }
    }

    private func content(_ body: Data, of call: NetworkCall) -> NetworkResponse.Content {
        if pace.drip == nil, !losesBody(body.count), call.delivery == .buffered { return .data(body) }
        let sending = Mutex<Task<Void, Never>?>(nil)
        let (bytes, writer) = NetworkBytes.makeStream { sending.withLock { $0 }?.cancel() }
        let task = Task { await send(body, to: writer, of: call) }
        sending.withLock { $0 = task }
        return .stream(bytes)
    }

    private func send(_ body: Data, to writer: NetworkBytes.Writer, of call: NetworkCall) async {
        let whole = body.prefix(pace.cut ?? body.count)
        let size = pace.drip?.count ?? max(whole.count, 1)
        for start in stride(from: 0, to: whole.count, by: size) {
            if let drip = pace.drip {
                do { try await call.clock.sleep(drip.interval) } catch { return writer.finish(throwing: .cancelled) }
            }
            writer.write(Data(whole.dropFirst(start).prefix(size)))
        }
        writer.finish(throwing: losesBody(body.count) ? .lostOnTheWay(call) : nil)
    }
}

extension NetworkError {
    /// Creates the error of a response as a transport would report it.
    init(answering call: NetworkCall, with error: any Error) {
        self = (error as? NetworkError) ?? NetworkError(error, for: call, hasSentBody: false)
    }

    static func lostOnTheWay(_ call: NetworkCall) -> NetworkError {
        NetworkError(URLError(.networkConnectionLost), for: call, hasResponse: true)
    }
}
