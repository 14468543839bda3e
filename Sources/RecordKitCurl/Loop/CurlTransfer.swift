import CCurl
import Foundation
import RecordKit
import Synchronization

/// One running transfer of libcurl: what was sent, and what has arrived.
///
/// It isn't Sendable: only the thread of the event loop uses it. libcurl calls it back through a pointer that is valid
/// while ``CurlTransfers`` holds the transfer.
final class CurlTransfer {
    let exchange: CurlExchange
    let handle: EasyHandle
    private let loop: EventLoop
    private let call: NetworkCall
    private let source: BodySource?
    private let kept: KeptSockets
    private let start: Duration
    private let isStreamed: Bool
    private let sizeLimit: Int
    /// The size at which a part of a stream is written.
    private let chunkSize: Int
    /// The number of unread bytes at which the transfer pauses. Another chunk fits into the buffer of the stream.
    private let pauseLimit: Int
    private var head: HeadReader
    private var response: NetworkResponse?
    /// The error of a callback, which made libcurl stop.
    private var failure: NetworkError?
    /// The whole body, or the part of a stream that isn't written yet.
    private var body = Data()
    private var writer: NetworkBytes.Writer?
    /// The number of bytes that the reader of the stream hasn't taken, after the last write.
    private var unread = 0
    /// The number of times that libcurl has begun to send the request.
    private var sendings = 0
    /// Whether the request was sent on a connection that was opened for it, and the local port of the connection.
    private var wasSentOnNewConnection = false
    private var port: Int32 = 0
    /// Whether the request was sent over HTTP/2, as far as that is known before a response.
    private var wasSentOverHTTP2 = false
    /// The length of the response's body according to its head.
    private var announced: Int?
    /// The number of bytes of the response's body, as they are delivered.
    private var received = 0
    /// The number of bytes of the response's body that were taken from libcurl.
    private var taken = 0
    /// Whether the head is that of a redirect, whose body isn't waited for.
    private var isRedirect = false
    /// Decodes the body, if it has a coding that is known.
    private var decoder: BodyDecoder?
    /// The number of bytes that were decoded before a pause. libcurl delivers them again.
    private var bytesBeforePause = 0
    /// The sockets that libcurl opened for this transfer.
    private var opened: [Int32] = []
    /// Whether to begin again on a new connection. Nothing was sent yet.
    private var needsNewConnection = false
    /// Whether a response has begun to arrive over HTTP/2.
    private(set) var isOverHTTP2 = false
    /// Whether HTTP/2 is used without negotiation.
    private let isHTTP2Known: Bool
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
        call = exchange.call
        source = call.body.map { BodySource($0) { loop.resume(exchange) } }
        start = call.clock.now()
        isStreamed = call.delivery == .streamed
        sizeLimit = call.sizeLimit
        chunkSize = min(256 << 10, max(16 << 10, call.bufferLimit / 4))
        pauseLimit = max(call.bufferLimit - chunkSize, 0)
        isHTTP2Known = options.http2 == .priorKnowledge && call.url.scheme == "http"
        head = HeadReader(limit: options.headLimit)
        handle.apply(options)
        handle.apply(call, options)
        handle.setCallbacks(of: self)
    }

    /// Handles the end of libcurl's work.
    func complete(_ code: CURLcode) {
        if let failure { return finish(throwing: failure) }
        if code != CURLE_OK, !hasWholeResponse { return finish(throwing: error(code)) }
        completeResponse()
    }

    private func completeResponse() {
        // The server closed the connection within the head, which libcurl doesn't report.
        guard let response else { return finish(throwing: lost) }
        if isRedirect { return deliver(.data(Data())) }
        if let decoder {
            if !response.isSuccess { return finishDecoding(decoder) }
            if !decoder.isComplete { return finish(throwing: undecodable("the compressed body ends early")) }
        }
        finish()
    }

    /// Whether the response is complete, although libcurl ended with an error.
    ///
    /// An HTTP/2 server may reset the stream after its response, if it doesn't need the rest of the request (RFC 9113
    /// section 8.1). libcurl (7.88.1) then fails to send that rest.
    private var hasWholeResponse: Bool { isRedirect || isOverHTTP2 && hasWholeBody }

    /// Whether the response has arrived, with all bytes of a body of known length.
    private var hasWholeBody: Bool {
        guard let response, let length = try? response.contentLength(for: call) else { return false }
        return taken == length
    }

    /// Whether the response has arrived, and the rest of the request isn't sent.
    ///
    /// Over HTTP/2, libcurl (7.88.1) reads nothing after a whole body, not even that it may send more. A live body may
    /// never end.
    private var needsNoRequest: Bool {
        guard let source, let body = call.body, response != nil else { return false }
        if let length = body.length, !isOverHTTP2 || source.count == length { return false }
        return hasWholeBody
    }

    /// Whether libcurl (7.88.1) dropped the head of a response, because the reset of the stream came with it.
    private func droppedHead(_ result: CURLcode) -> Bool {
        result == CURLE_HTTP2_STREAM && response == nil && !handle.hasMessage
    }

    /// Whether to begin again on a new connection, after a result of libcurl.
    func beginsAgain(after result: CURLcode) -> Bool {
        if needsNewConnection { return true }
        if failure != nil || response != nil || sendings != 1 || !mayBeSentAgain { return false }
        if droppedHead(result) { return !isHTTP2Known }
        // The server closed a kept HTTP/2 connection while it was used again, with GOAWAY (RFC 9113 section 6.8) or
        // without. libcurl (7.88.1) doesn't always see that the request may be repeated.
        return [CURLE_HTTP2, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR].contains(result) && !isOverHTTP2
            && !wasSentOnNewConnection
    }

    /// Begins again on a new connection.
    func beginAgain(after result: CURLcode) {
        // Over HTTP/1.1, libcurl reads a response that comes before the end of the request.
        if droppedHead(result) { handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
        needsNewConnection = false
        failure = nil
        source?.rewind()
        handle.set(CURLOPT_FRESH_CONNECT, 1)
    }

    /// Handles the end of a pass over all transfers. Returns true if the transfer isn't needed any more.
    func performed() -> Bool {
        if isRedirect || needsNoRequest {
            completeResponse()
            return true
        }
        flush()
        return false
    }

    private func finish() {
        let trailers = HTTPHeaders(head.trailers)
        if let writer {
            writer.write(body)
            writer.finish(trailers: trailers)
        } else {
            response?.trailers = trailers
            deliver(.data(body))
        }
    }

    /// Returns whether the request was sent, or something was received, since the last call.
    func takeHasMoved() -> Bool {
        defer { hasMoved = false }
        return hasMoved
    }

    /// Continues after a pause. Returns the error with which libcurl can't deliver what it held back.
    func resume() -> CURLcode {
        unread = writer?.write(Data()) ?? 0
        let code = curl_easy_pause(handle.pointer, 0)
        // There is no connection yet, so nothing was held back.
        return code == CURLE_BAD_FUNCTION_ARGUMENT ? CURLE_OK : code
    }

    private func finish(throwing error: NetworkError) {
        if let writer {
            writer.write(body)
            writer.finish(throwing: error)
        } else {
            exchange.end(.failure(error))
        }
    }

    private func deliver(_ content: NetworkResponse.Content) {
        guard var response else { return }
        response.content = content
        exchange.end(.success(response))
    }

    /// Whether any of the request was sent. libcurl also counts what it sends to a proxy.
    private var hasSent: Bool {
        handle.number(CURLINFO_REQUEST_SIZE) > 0 && (sendings > 0 || !CurlLibrary.reportsSending)
    }

    private var host: String { call.origin.hostAndPort }

    private func error(_ code: CURLcode) -> NetworkError {
        var cause = handle.failure(code)
        if droppedHead(code) {
            cause = CurlTransport.Failure(
                code: cause.code,
                message: "the server responded before it had the whole request, and libcurl \(CurlLibrary.version) "
                    + "dropped the response; update libcurl, or set `http2` to `.never`")
        }
        return NetworkError(
            code, cause, for: call,
            CurlFailureContext(
                handle, hasResponse: response != nil, hasSent: hasSent, sendings: sendings,
                wasSentOverHTTP2: wasSentOverHTTP2))
    }
}

// MARK: Callbacks of libcurl

extension CurlTransfer {
    /// Returns the transfer of a handle.
    static func of(_ pointer: UnsafeMutableRawPointer) -> CurlTransfer? {
        var context: UnsafeMutableRawPointer?
        guard ccurl_get_pointer(pointer, CURLINFO_PRIVATE, &context) == CURLE_OK else { return nil }
        return context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Notes a socket that libcurl opens.
    func opens(_ socket: Int32) {
        opened.append(socket)
    }

    /// Handles a line of a head. Returns false to stop the transfer.
    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        hasMoved = true
        if line.first == UInt8(ascii: "H"), line.starts(with: "HTTP/2".utf8) { isOverHTTP2 = true }
        switch head.add(line, status: { handle.number(CURLINFO_RESPONSE_CODE) }) {
        case .more, .interim: return true
        case .complete: return receiveHead()
        case .invalid(let reason):
            failure = .badResponse(
                NetworkError.BadResponse(host: host, cause: CurlTransport.Failure(code: 8, message: reason)))
            return false
        }
    }

    private func receiveHead() -> Bool {
        let status = handle.number(CURLINFO_RESPONSE_CODE)
        let headers = HTTPHeaders(head.fields)
        let response = NetworkResponse(statusCode: status, headers: headers, url: call.url)
        do throws(NetworkError) {
            announced = try response.announcedLength(for: call)
        } catch {
            failure = error
            return false
        }
        self.response = response
        decoder = BodyDecoder(headers)
        if !isOverHTTP2 { kept.usesHTTP1(port: port) }
        handle.reportTimes(of: call, since: start)
        if response.isSuccess, isStreamed {
            let (exchange, loop) = (exchange, loop)
            let (bytes, writer) = NetworkBytes.makeStream(
                bufferLimit: call.bufferLimit,
                onDrained: {
                    if exchange.isPaused.exchange(false, ordering: .acquiringAndReleasing) { loop.resume(exchange) }
                }, onCancel: { loop.remove(exchange) })
            self.writer = writer
            deliver(.stream(bytes))
            return true
        }
        isRedirect = response.isRedirect(for: call)
        if !isRedirect, let announced {
            if announced > sizeLimit {
                failure = .tooLarge(NetworkError.TooLarge(limit: sizeLimit, host: host))
                return false
            }
            // Memory that isn't written to costs nothing, whatever the server announces.
            if announced > 1 << 14 { body.reserveCapacity(announced) }
        }
        return true
    }

    /// Handles a part of the body. Returns the number of bytes taken, or the value that pauses the transfer.
    func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        let count = take(bytes)
        if count == bytes.count { taken += count }
        return count
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        hasMoved = true
        if isRedirect { return bytes.count }
        if pauses() { return Int(CURL_WRITEFUNC_PAUSE) }
        // The body of an error is decoded when it is whole.
        guard let decoder, response?.isSuccess == true else { return add(bytes) ? bytes.count : 0 }
        let before = min(bytesBeforePause, bytes.count)
        do throws(Inflater.Fault) {
            var isPaused = false
            let count = try decoder.take(UnsafeRawBufferPointer(rebasing: bytes[before...])) { part in
                if !add(part) { return false }
                // With two codings, more parts follow a stop, although the reader may not be busy any more.
                isPaused = isPaused || pauses()
                return !isPaused
            }
            if failure != nil { return 0 }
            bytesBeforePause += isPaused ? count : -before
            return isPaused ? Int(CURL_WRITEFUNC_PAUSE) : bytes.count
        } catch {
            failure = undecodable(error.reason)
            return 0
        }
    }

    /// Adds a part of the body as it is delivered. Returns false if it exceeds the limit.
    private func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if writer != nil {
            if body.count + bytes.count > chunkSize {
                flush()
                // More of the same size is likely to follow.
                body.reserveCapacity(chunkSize)
            }
        } else if bytes.count > sizeLimit - body.count {
            failure = .tooLarge(NetworkError.TooLarge(limit: sizeLimit, host: host))
            return false
        }
        received += bytes.count
        body.append(bytes.assumingMemoryBound(to: UInt8.self))
        if writer == nil, response?.isSuccess == true { call.report(.receiving, bytes: received, of: announced) }
        return true
    }

    /// Decodes the whole body of an error. If it isn't what its head says, it is delivered as it is: the status counts.
    private func finishDecoding(_ decoder: BodyDecoder) {
        let whole = body
        body = Data()
        let isDecoded = whole.withUnsafeBytes { bytes in
            (try? decoder.take(bytes) { add($0) }) != nil && decoder.isComplete
        }
        if let failure { return finish(throwing: failure) }
        if !isDecoded { body = whole }
        finish()
    }

    private func undecodable(_ reason: String) -> NetworkError {
        let cause = CurlTransport.Failure(code: Int(CURLE_BAD_CONTENT_ENCODING.rawValue), message: reason)
        return .badResponse(NetworkError.BadResponse(host: host, cause: cause))
    }

    /// Writes what has arrived to the stream.
    private func flush() {
        guard let writer, !body.isEmpty else { return }
        unread = writer.write(body)
        body = Data()
    }

    /// Returns whether the transfer has to wait for the reader, and notes it for the end of the wait.
    private func pauses() -> Bool {
        if writer == nil || unread <= pauseLimit { return false }
        exchange.isPaused.store(true, ordering: .sequentiallyConsistent)
        // The reader may have taken the last chunk meanwhile.
        unread = writer?.write(Data()) ?? 0
        if unread > 0 { return true }
        exchange.isPaused.store(false, ordering: .sequentiallyConsistent)
        return false
    }

    /// Returns the next bytes of the request body for libcurl.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let source else { return 0 }
        do throws(NetworkError) {
            switch try source.read(into: buffer) {
            case .bytes(let count):
                call.report(.sending, bytes: source.count, of: call.body?.length)
                return count
            case .end: return 0
            case .wait: return Int(CURL_READFUNC_PAUSE)
            }
        } catch {
            failure = sent(error)
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// The lines to send after the request body. libcurl frees the list.
    var trailerLines: UnsafeMutablePointer<curl_slist>? {
        source?.trailers.reduce(nil) { curl_slist_append($0, "\($1.name): \($1.value)") ?? $0 }
    }

    /// Returns the error of a request whose body failed while it was sent.
    private func sent(_ error: NetworkError) -> NetworkError {
        guard case .invalidRequest(let invalid) = error else { return error }
        return .invalidRequest(
            NetworkError.InvalidRequest(
                request: call.name, member: invalid.member, reason: invalid.reason, cause: invalid.cause,
                mayHaveReachedServer: true))
    }

    /// Starts the request body again. Returns false if it can't be sent a second time.
    func rewind() -> Bool {
        guard let source else { return true }
        if source.count > 0, !mayBeSentAgain {
            failure = lostBeforeSecondSending
            return false
        }
        source.rewind()
        return true
    }

    /// Handles the moment before the request is sent. Returns false to stop the transfer.
    ///
    /// libcurl sends a request again when a kept connection breaks. If that would be wrong, the call ends.
    ///
    /// - Parameter port: The local port of the connection.
    func willSend(from port: Int32) -> Bool {
        hasMoved = true
        let isNew = handle.number(CURLINFO_NUM_CONNECTS) > 0
        if !isNew, kept.hasUnreadBytes(port: port, handle) {
            needsNewConnection = true
            return false
        }
        // libcurl reads nothing of an empty body, so a file that has grown would be sent as empty.
        if let source, call.body?.length == 0 {
            do throws(NetworkError) {
                _ = try source.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
            } catch {
                failure = error
                return false
            }
        }
        sendings += 1
        if sendings > 1, !mayBeSentAgain {
            failure = lostBeforeSecondSending
            return false
        }
        kept.use(port: port, isNew: isNew, opened.first { KeptSockets.port(of: $0) == port })
        (self.port, wasSentOnNewConnection) = (port, isNew)
        wasSentOverHTTP2 = isHTTP2Known || handle.hasNegotiatedHTTP2
        if wasSentOverHTTP2, let length = call.body?.length, length > 0, length <= 64 << 10 { kept.cork(port: port) }
        return true
    }

    private var mayBeSentAgain: Bool { call.method.isIdempotent && call.body?.canBeSentAgain ?? true }

    private var lost: NetworkError {
        .connection(NetworkError.ConnectionFailure(kind: .lost, host: host, mayHaveReachedServer: true))
    }

    /// The error of a request that libcurl is about to send a second time, and that must not be.
    ///
    /// After a first time on a new connection, libcurl does so without a message only if the server refused the HTTP/2
    /// stream: it then hasn't processed the request (RFC 9113 section 8.7). On a connection that others have used, the
    /// server may have closed it.
    private var lostBeforeSecondSending: NetworkError {
        let isNew = wasSentOnNewConnection && !kept.isShared(port: port)
        let isRefused = isNew && !isOverHTTP2 && response == nil && !handle.hasMessage
        return .connection(
            NetworkError.ConnectionFailure(kind: .lost, host: host, mayHaveReachedServer: !isRefused))
    }
}
