import CCurl
import Foundation
import RecordKit
import Synchronization

/// One running transfer of libcurl, which connects its callbacks with what is sent and what has arrived.
///
/// It isn't Sendable: only the thread of the event loop uses it. libcurl calls it back through a pointer that is valid
/// while ``CurlTransfers`` holds the transfer.
final class CurlTransfer {
    let exchange: CurlExchange
    let handle: EasyHandle
    private let loop: EventLoop
    private let kept: KeptSockets
    private let start: Duration
    private var sending: RequestSending
    private var head: ReceivedHead
    private var body: ReceivedBody
    /// Decodes the body, if it has a coding that is known.
    private var decoder: BodyDecoder?
    private var writer: NetworkBytes.Writer?
    /// The error of a callback, which made libcurl stop.
    private var failure: NetworkError?
    private var hasMoved = false

    /// Creates a transfer and prepares its handle.
    init(
        _ exchange: CurlExchange, _ handle: EasyHandle, _ options: CurlTransport.Options, _ kept: KeptSockets,
        _ loop: EventLoop
    ) {
        self.kept = kept
        self.exchange = exchange
        self.handle = handle
        self.loop = loop
        let call = exchange.call
        start = call.clock.now()
        let isHTTP2Known = options.http2 == .priorKnowledge && call.url.scheme == "http"
        sending = RequestSending(call, isHTTP2Known: isHTTP2Known) { loop.resume(exchange) }
        head = ReceivedHead(limit: options.headLimit)
        body = ReceivedBody(sizeLimit: call.sizeLimit, bufferLimit: call.bufferLimit)
        handle.apply(options)
        handle.apply(call, options)
        handle.setCallbacks(of: self)
    }

    private var call: NetworkCall { exchange.call }

    /// Whether a response has begun to arrive over HTTP/2.
    var isOverHTTP2: Bool { head.isOverHTTP2 }

    /// Handles the end of libcurl's work.
    func complete(_ code: CURLcode) {
        if let failure { return finish(throwing: failure) }
        if code != CURLE_OK, !head.isWhole(for: call) { return finish(throwing: error(code)) }
        completeResponse()
    }

    private func completeResponse() {
        // The server closed the connection within the head, which libcurl doesn't report.
        if !head.isComplete { return finish(throwing: .lost(call, mayHaveReachedServer: true)) }
        if head.isRedirect { return deliver(.data(Data())) }
        if let decoder {
            if !head.isSuccess { return finishDecoding(decoder) }
            if !decoder.isComplete { return finish(throwing: .undecodable(call, "the compressed body ends early")) }
        }
        finish()
    }

    /// Begins again on a new connection if libcurl's work ended so that the request may be sent again. Returns whether
    /// it does.
    func beginsAgain(after result: CURLcode) -> Bool {
        let ending: RequestSending.Ending =
            switch result {
            case _ where droppedHead(result): .droppedHead
            case CURLE_HTTP2, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR: .brokenConnection
            default: .other
            }
        guard sending.beginsAgain(after: ending, hasFailed: failure != nil, arrival) else { return false }
        if ending == .droppedHead { handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
        failure = nil
        handle.set(CURLOPT_FRESH_CONNECT, 1)
        return true
    }

    /// Whether libcurl (7.88.1) dropped the head of a response, because the reset of the stream came with it.
    private func droppedHead(_ result: CURLcode) -> Bool {
        result == CURLE_HTTP2_STREAM && !head.isComplete && !handle.hasMessage
    }

    private var arrival: RequestSending.Arrival {
        .init(hasHead: head.isComplete, isOverHTTP2: head.isOverHTTP2, hasMessage: handle.hasMessage)
    }

    /// Handles the end of a pass over all transfers. Returns true if the transfer isn't needed any more.
    func performed() -> Bool {
        if head.isRedirect
            || head.isComplete && sending.hasUnneededRest(overHTTP2: isOverHTTP2)
                && head.hasWholeBody(for: call)
        {
            completeResponse()
            return true
        }
        flush()
        return false
    }

    /// Returns whether the request was sent, or something was received, since the last call.
    func takeHasMoved() -> Bool {
        defer { hasMoved = false }
        return hasMoved
    }

    /// Continues after a pause. Returns the error with which libcurl can't deliver what it held back.
    func resume() -> CURLcode {
        write(Data())
        let code = curl_easy_pause(handle.pointer, 0)
        // There is no connection yet, so nothing was held back.
        return code == CURLE_BAD_FUNCTION_ARGUMENT ? CURLE_OK : code
    }

    // MARK: The outcome

    private func finish() {
        guard let writer else { return deliver(.data(body.take())) }
        writer.write(body.take())
        writer.finish(trailers: head.trailers)
    }

    private func finish(throwing error: NetworkError) {
        guard let writer else { return _ = exchange.end(.failure(error)) }
        writer.write(body.take())
        writer.finish(throwing: error)
    }

    private func deliver(_ content: NetworkResponse.Content) {
        if let response = head.delivered(content) { exchange.end(.success(response)) }
    }

    /// Decodes the whole body of an error. If it isn't what its head says, it is delivered as it is: the status counts.
    private func finishDecoding(_ decoder: BodyDecoder) {
        let whole = body.take()
        let isDecoded = whole.withUnsafeBytes { bytes in
            (try? decoder.take(bytes) { add($0) }) != nil && decoder.isComplete
        }
        if let failure { return finish(throwing: failure) }
        if !isDecoded { body.replace(with: whole) }
        finish()
    }

    private func error(_ code: CURLcode) -> NetworkError {
        let cause = droppedHead(code) ? CurlTransport.Failure.droppedHead : handle.failure(code)
        // libcurl also counts what it sends to a proxy.
        let hasSent = handle.number(CURLINFO_REQUEST_SIZE) > 0 && (sending.count > 0 || !CurlLibrary.reportsSending)
        return NetworkError(
            code, cause, for: call,
            CurlFailureContext(
                handle, hasResponse: head.isComplete, hasSent: hasSent, sendings: sending.count,
                wasSentOverHTTP2: sending.isOverHTTP2))
    }
}

// MARK: Callbacks of libcurl, what is received

extension CurlTransfer {
    /// Handles a line of a head. Returns false to stop the transfer.
    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        hasMoved = true
        switch head.receive(line, status: { handle.number(CURLINFO_RESPONSE_CODE) }) {
        case .more, .interim: return true
        case .complete: return completeHead()
        case .invalid(let reason):
            let cause = CurlTransport.Failure(code: 8, message: reason)
            return stop(.badResponse(NetworkError.BadResponse(host: call.origin.hostAndPort, cause: cause)))
        }
    }

    private func completeHead() -> Bool {
        let response: NetworkResponse
        do throws(NetworkError) {
            response = try head.complete(handle.number(CURLINFO_RESPONSE_CODE), for: call)
        } catch {
            return stop(error)
        }
        decoder = BodyDecoder(response.headers)
        if !isOverHTTP2 { kept.usesHTTP1(port: sending.port) }
        handle.reportTimes(of: call, since: start)
        if head.isSuccess, call.delivery == .streamed {
            let (exchange, loop) = (exchange, loop)
            let (bytes, writer) = NetworkBytes.makeStream(
                bufferLimit: call.bufferLimit,
                onDrained: {
                    if exchange.isPaused.exchange(false, ordering: .acquiringAndReleasing) { loop.resume(exchange) }
                }, onCancel: { loop.remove(exchange) })
            self.writer = writer
            body.stream()
            deliver(.stream(bytes))
        } else if !head.isRedirect, let announced = head.announced, !body.collect(announced: announced) {
            return stop(.tooLarge(call))
        }
        return true
    }

    /// Stops the transfer with an error. Returns false.
    private func stop(_ error: NetworkError) -> Bool {
        failure = error
        return false
    }

    /// Handles a part of the body. Returns the number of bytes taken, or the value that pauses the transfer.
    func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        hasMoved = true
        switch take(bytes) {
        case .all:
            head.tookBody(bytes.count)
            return bytes.count
        case .pause: return Int(CURL_WRITEFUNC_PAUSE)
        case .stop: return 0
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> BodyDecoder.Taking {
        if head.isRedirect { return .all }
        if pauses() { return .pause }
        // The body of an error is decoded when it is whole.
        guard let decoder, head.isSuccess else { return add(bytes) ? .all : .stop }
        do throws(Inflater.Fault) {
            return try decoder.receive(bytes, write: add, pauses: pauses)
        } catch {
            _ = stop(.undecodable(call, error.reason))
            return .stop
        }
    }

    /// Adds a part of the body as it is delivered. Returns false if it exceeds the limit.
    private func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch body.add(bytes) {
        case .more: break
        case .write(let chunk): write(chunk)
        case .fail: return stop(.tooLarge(call))
        }
        if !body.isStreamed, head.isSuccess { call.report(.receiving, bytes: body.count, of: head.announced) }
        return true
    }

    /// Writes what has arrived to the stream.
    private func flush() {
        if !body.isStreamed { return }
        let chunk = body.take()
        if !chunk.isEmpty { write(chunk) }
    }

    private func write(_ chunk: Data) {
        body.wrote(unread: writer?.write(chunk) ?? 0)
    }

    /// Returns whether the transfer has to wait for the reader, and notes it for the end of the wait.
    private func pauses() -> Bool {
        if !body.isFull { return false }
        exchange.isPaused.store(true, ordering: .sequentiallyConsistent)
        // The reader may have taken the last chunk meanwhile.
        write(Data())
        if body.hasUnread { return true }
        exchange.isPaused.store(false, ordering: .sequentiallyConsistent)
        return false
    }
}

// MARK: Callbacks of libcurl, what is sent

extension CurlTransfer {
    /// Notes a socket that libcurl opens.
    func opens(_ socket: Int32) {
        sending.opens(socket)
    }

    /// Handles the moment before the request is sent. Returns false to stop the transfer.
    ///
    /// - Parameter port: The local port of the connection.
    func willSend(from port: Int32) -> Bool {
        hasMoved = true
        let isNew = handle.number(CURLINFO_NUM_CONNECTS) > 0
        do throws(NetworkError) {
            try sending.checkEmptyBody()
        } catch {
            return stop(error)
        }
        let step = sending.willSend(
            port: port, isNew: isNew, hasUnreadBytes: !isNew && kept.hasUnreadBytes(port: port, handle),
            isHTTP2: handle.hasNegotiatedHTTP2)
        switch step {
        case .send(let corks):
            kept.use(port: port, isNew: isNew, sending.socket(port: port))
            if corks { kept.cork(port: port) }
            return true
        case .beginAgain: return false
        case .mustNotSendAgain: return stop(lostBeforeSecondSending)
        }
    }

    /// Returns the next bytes of the request body for libcurl.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        do throws(NetworkError) {
            switch try sending.read(into: buffer) {
            case .bytes(let count):
                call.report(.sending, bytes: sending.bytes, of: call.body?.length)
                return count
            case .end: return 0
            case .wait: return Int(CURL_READFUNC_PAUSE)
            }
        } catch {
            _ = stop(error.whileSending(call))
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// The lines to send after the request body. libcurl frees the list.
    var trailerLines: UnsafeMutablePointer<curl_slist>? {
        sending.trailers.reduce(nil) { curl_slist_append($0, "\($1.name): \($1.value)") ?? $0 }
    }

    /// Starts the request body again. Returns false if it can't be sent a second time.
    func rewind() -> Bool {
        sending.rewind() || stop(lostBeforeSecondSending)
    }

    /// The error of a request that libcurl is about to send a second time, and that must not be.
    private var lostBeforeSecondSending: NetworkError {
        let isRefused = sending.wasRefused(isShared: kept.isShared(port: sending.port), arrival)
        return .lost(call, mayHaveReachedServer: !isRefused)
    }
}
