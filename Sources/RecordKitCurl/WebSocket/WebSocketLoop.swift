import CCurl
import RecordKit
import Synchronization

/// The thread that moves the frames of all WebSockets of a transport.
///
/// The thread starts with the first socket, and ends with the last one.
final class WebSocketLoop: Sendable {
    private struct Inbox: ~Copyable {
        var starting: [(exchange: CurlExchange, upgrade: WebSocketUpgrade)] = []
        var hasThread = false
        /// Whether a socket has something to do.
        var hasNews = false
        /// The address of the handle to wake, while the thread waits or is about to wait.
        var waiting: UInt?
    }

    private let options: CurlTransport.Options
    private let inbox = Mutex(Inbox())

    init(_ options: CurlTransport.Options) {
        self.options = options
    }

    /// Opens a WebSocket. Returns the response with the status 101, or that of a server that refuses.
    func open(_ call: NetworkCall, _ upgrade: WebSocketUpgrade) async throws(NetworkError) -> NetworkResponse {
        // Reports what is wrong with the call before a connection is made.
        _ = try UpgradeRequest(call)
        let exchange = CurlExchange(call)
        return try await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if exchange.begin(continuation) { start(exchange, upgrade) }
            }
        } onCancel: {
            if exchange.end(.failure(.cancelled)) { wake() }
        }.get()
    }

    private func start(_ exchange: CurlExchange, _ upgrade: WebSocketUpgrade) {
        let needsThread = inbox.withLock { inbox in
            defer { inbox.hasThread = true }
            inbox.starting.append((exchange, upgrade))
            return !inbox.hasThread
        }
        if needsThread { CurlThread.start(named: "RecordKitSocket") { self.run() } } else { wake() }
    }

    /// Has the thread look at all sockets.
    func wake() {
        inbox.withLock { inbox in
            inbox.hasNews = true
            // The lock keeps the handle alive.
            if let address = inbox.waiting.take() { curl_multi_wakeup(UnsafeMutableRawPointer(bitPattern: address)) }
        }
    }

    /// Runs on the thread.
    private func run() {
        guard CurlLibrary.isReady, let multi = curl_multi_init() else { return abandon() }
        defer { curl_multi_cleanup(multi) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var links: [WebSocketLink] = []
        while let starting = takeStarting(isIdle: links.isEmpty) {
            for (exchange, upgrade) in starting {
                if let link = link(exchange, upgrade, multi) { links.append(link) }
            }
            let readable = wait(for: links, multi)
            connect(links, multi)
            links = zip(links, readable).filter { link, isReadable in
                if link.advance(isReadable: isReadable, buffer) { return true }
                // Closes the connection.
                curl_multi_remove_handle(multi, link.handle.pointer)
                return false
            }.map(\.0)
        }
    }

    /// Returns the sockets to open, or `nil` if the thread is to end.
    private func takeStarting(isIdle: Bool) -> [(exchange: CurlExchange, upgrade: WebSocketUpgrade)]? {
        inbox.withLock { inbox in
            if isIdle, inbox.starting.isEmpty {
                inbox.hasThread = false
                return nil
            }
            defer { inbox.starting = [] }
            return inbox.starting
        }
    }

    /// Ends the exchanges of a thread that couldn't start. The next one tries again.
    private func abandon() {
        let starting = inbox.withLock { inbox in
            inbox.hasThread = false
            defer { inbox.starting = [] }
            return inbox.starting
        }
        for (exchange, _) in starting { exchange.end(.failure(.outOfMemory(exchange.call))) }
    }

    private func link(
        _ exchange: CurlExchange, _ upgrade: WebSocketUpgrade, _ multi: UnsafeMutableRawPointer
    ) -> WebSocketLink? {
        if exchange.hasEnded { return nil }
        guard let handle = EasyHandle() else {
            exchange.end(.failure(.outOfMemory(exchange.call)))
            return nil
        }
        let link = WebSocketLink(exchange, upgrade, handle, options) { self.wake() }
        guard handle.refusedOption == nil, curl_multi_add_handle(multi, handle.pointer) == CURLM_OK else {
            exchange.end(.failure(.outOfMemory(exchange.call)))
            return nil
        }
        return link
    }

    /// Moves the connections that are being made.
    private func connect(_ links: [WebSocketLink], _ multi: UnsafeMutableRawPointer) {
        var count: Int32 = 0
        curl_multi_perform(multi, &count)
        while let message = curl_multi_info_read(multi, &count) {
            let (pointer, result) = (message.pointee.easy_handle, ccurl_result(message))
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            // The handle stays: libcurl closes the connection when it is removed.
            links.first { $0.handle.pointer == pointer }?.connected(result)
        }
    }

    /// Waits until there is something to do. Returns which sockets have data.
    private func wait(for links: [WebSocketLink], _ multi: UnsafeMutableRawPointer) -> [Bool] {
        // A socket that waits for nothing is left out, since its end alone would wake the thread again and again.
        let indices = links.indices.filter {
            links[$0].socket >= 0 && (links[$0].wantsToRead || links[$0].wantsToWrite)
        }
        var sockets = indices.map { index in
            let read = links[index].wantsToRead ? CURL_WAIT_POLLIN : 0
            let write = links[index].wantsToWrite ? CURL_WAIT_POLLOUT : 0
            return curl_waitfd(fd: links[index].socket, events: Int16(read | write), revents: 0)
        }
        let mustRead = links.contains { $0.socket >= 0 && $0.wantsToRead && $0.mustRead }
        let waits = !mustRead && prepareToWait(UInt(bitPattern: multi))
        CurlThread.allowExit {
            curl_multi_poll(multi, &sockets, UInt32(sockets.count), waits ? 3_600_000 : 0, nil)
        }
        inbox.withLock { $0.waiting = nil }
        var readable = [Bool](repeating: false, count: links.count)
        for (index, socket) in zip(indices, sockets) {
            readable[index] = socket.revents & ~Int16(CURL_WAIT_POLLOUT) != 0
        }
        return readable
    }

    /// Announces that the thread is about to wait. Returns false if it has something to do.
    private func prepareToWait(_ multi: UInt) -> Bool {
        inbox.withLock { inbox in
            if inbox.hasNews || !inbox.starting.isEmpty {
                inbox.hasNews = false
                return false
            }
            inbox.waiting = multi
            return true
        }
    }
}
