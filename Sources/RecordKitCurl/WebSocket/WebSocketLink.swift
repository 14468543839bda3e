import CCurl
import Foundation
import RecordKit
import Synchronization

/// The socket of a WebSocket: it connects, asks for the upgrade, and moves frames.
///
/// It isn't Sendable: only the thread of the loop uses it.
final class WebSocketLink {
    private enum Phase {
        case connecting
        case asking(UpgradeRequest)
        case open(WebSocketConnection)
        /// The server may only close the connection. What it sends is dropped.
        case closing(WebSocketConnection)
    }

    /// The number of reads, and of writes, after which other sockets have their turn.
    private static let stepsPerTurn = 16

    let handle: EasyHandle
    private let exchange: CurlExchange
    private let upgrade: WebSocketUpgrade
    private let options: CurlTransport.Options
    private let wake: @Sendable () -> Void
    private let call: NetworkCall
    private let start: Duration
    private var phase = Phase.connecting
    private var response: UpgradeResponseReader
    private var frames: FrameReader
    private(set) var socket: curl_socket_t = -1
    /// The bytes of a frame, or of the request, that the system hasn't taken.
    private var unsent = Data()
    /// The message that is complete with these bytes.
    private var unsentMessage: UInt64?
    private var hasSent = false
    /// Whether the last read left something behind, in the socket or in the TLS library.
    private(set) var mustRead = true
    /// Whether to wait for data. False while the reader of the messages is too slow.
    private(set) var wantsToRead = true

    /// Whether the last turn ended before everything was sent.
    private var mustWrite = false
    /// The error of a write. What the server sent before is read first.
    private var writeFailure: NetworkError?

    /// Whether to wait until the system takes more.
    var wantsToWrite: Bool { !unsent.isEmpty || mustWrite }

    init(
        _ exchange: CurlExchange, _ upgrade: WebSocketUpgrade, _ handle: EasyHandle, _ options: CurlTransport.Options,
        wake: @escaping @Sendable () -> Void
    ) {
        self.exchange = exchange
        self.upgrade = upgrade
        self.handle = handle
        self.options = options
        self.wake = wake
        call = exchange.call
        start = call.clock.now()
        response = UpgradeResponseReader(call, headLimit: options.headLimit)
        frames = FrameReader(limit: call.sizeLimit)
        handle.apply(options)
        handle.set(CURLOPT_URL, call.url.absoluteString)
        handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        handle.set(CURLOPT_CONNECT_ONLY, 1)
        // A proxy passes on the bytes of an http URL, too.
        handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
    }

    /// Handles the end of libcurl's work, which is to connect.
    func connected(_ code: CURLcode) {
        do throws(NetworkError) {
            if code != CURLE_OK { throw error(code) }
            guard ccurl_get_socket(handle.pointer, &socket) == CURLE_OK, socket >= 0 else {
                throw error(CURLE_COULDNT_CONNECT)
            }
            handle.reportTimes(of: call, since: start)
            let request = try UpgradeRequest(call)
            unsent = request.bytes
            phase = .asking(request)
        } catch {
            exchange.end(.failure(error))
        }
    }

    /// Moves what can be moved without a wait. Returns false if the socket isn't needed any more.
    ///
    /// - Parameters:
    ///   - isReadable: Whether data has arrived.
    ///   - buffer: A place for what is read.
    func advance(isReadable: Bool, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        if isOver { return false }
        if case .connecting = phase { return true }
        write()
        do throws(NetworkError) {
            if mayRead, isReadable || mustRead, try !read(buffer) { return false }
            // What has arrived may have an answer.
            write()
            if let writeFailure {
                if mayRead, try !read(buffer) { return false }
                throw writeFailure
            }
        } catch {
            end(error)
            return false
        }
        return !isOver
    }

    private var isOver: Bool {
        switch phase {
        case .connecting, .asking: exchange.hasEnded
        case .open(let connection), .closing(let connection): connection.isOver
        }
    }

    private var mayRead: Bool {
        if case .open(let connection) = phase { wantsToRead = connection.mayRead() } else { wantsToRead = true }
        // What is left is read when the reader has caught up.
        if !wantsToRead { mustRead = true }
        return wantsToRead
    }

    private func end(_ error: NetworkError) {
        switch phase {
        case .connecting, .asking: exchange.end(.failure(error))
        case .open(let connection), .closing(let connection): connection.finish(error)
        }
    }

    private func write() {
        mustWrite = false
        if writeFailure != nil { return }
        for _ in 0..<Self.stepsPerTurn {
            if unsent.isEmpty {
                guard let next = connection?.nextFrame() else { return }
                (unsent, unsentMessage) = next
            }
            var count = 0
            let code = unsent.withUnsafeBytes { curl_easy_send(handle.pointer, $0.baseAddress, $0.count, &count) }
            if code == CURLE_AGAIN { return }
            if code != CURLE_OK {
                writeFailure = error(code)
                return
            }
            hasSent = true
            unsent = count == unsent.count ? Data() : unsent.dropFirst(count)
            if unsent.isEmpty, let message = unsentMessage.take() { connection?.didSend(message) }
        }
        mustWrite = true
    }

    private var connection: WebSocketConnection? {
        switch phase {
        case .connecting, .asking: nil
        case .open(let connection), .closing(let connection): connection
        }
    }

    /// Reads what has arrived. Returns false if the connection has ended.
    private func read(_ buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> Bool {
        mustRead = false
        for _ in 0..<Self.stepsPerTurn {
            var count = 0
            let code = curl_easy_recv(handle.pointer, buffer.baseAddress, buffer.count, &count)
            if code == CURLE_AGAIN { return true }
            if code != CURLE_OK { throw error(code) }
            if count == 0 { return try endOfInput() }
            connection?.heard()
            var bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])[...]
            try handle(&bytes)
            if isOver { return false }
            if !mayRead { return true }
        }
        mustRead = true
        return true
    }

    private func endOfInput() throws(NetworkError) -> Bool {
        switch phase {
        case .asking:
            guard let response = response.end() else { throw lost }
            exchange.end(.success(response))
        case .connecting: break
        case .open(let connection), .closing(let connection): connection.finish()
        }
        return false
    }

    private func handle(_ bytes: inout Slice<UnsafeRawBufferPointer>) throws(NetworkError) {
        if case .asking(let request) = phase {
            guard let response = try response.next(&bytes) else { return }
            if response.statusCode != 101 { return _ = exchange.end(.success(response)) }
            try open(response, request)
        }
        if case .open(let connection) = phase {
            do throws(FrameReader.Failure) {
                while let event = try frames.next(&bytes) {
                    connection.receive(event)
                    if case .close = event { return phase = .closing(connection) }
                }
            } catch {
                phase = .closing(connection)
                fail(connection, error)
            }
        }
    }

    private func open(_ response: NetworkResponse, _ request: UpgradeRequest) throws(NetworkError) {
        if let fault = request.fault(of: response) {
            throw .badResponse(
                NetworkError.BadResponse(
                    host: host, cause: WebSocketProtocolError(code: .protocolError, reason: "no WebSocket: \(fault)"))
            )
        }
        let (connection, bytes) = WebSocketConnection.make(call, wake: wake)
        phase = .open(connection)
        upgrade.connection.withLock { $0 = connection }
        if let interval = upgrade.pingInterval { connection.keepAlive(every: interval) }
        var response = response
        response.content = .stream(bytes)
        exchange.end(.success(response))
    }

    private func fail(_ connection: WebSocketConnection, _ failure: FrameReader.Failure) {
        switch failure {
        case .tooLarge:
            connection.fail(
                .tooLarge(NetworkError.TooLarge(limit: call.sizeLimit, host: host)),
                sending: WebSocketClose(.tooLarge, reason: "a message may take \(call.sizeLimit) bytes"))
        case .violation(let violation):
            connection.fail(
                .connection(
                    NetworkError.ConnectionFailure(
                        kind: .unknown, host: host, mayHaveReachedServer: true, cause: violation)),
                sending: WebSocketClose(violation.code, reason: violation.reason))
        }
    }

    private var host: String { call.origin.hostAndPort }

    private var lost: NetworkError {
        .connection(NetworkError.ConnectionFailure(kind: .lost, host: host, mayHaveReachedServer: true))
    }

    private func error(_ code: CURLcode) -> NetworkError {
        NetworkError(
            code, handle.failure(code), for: call,
            CurlFailureContext(handle, hasResponse: false, hasSent: hasSent, sendings: 0))
    }
}
