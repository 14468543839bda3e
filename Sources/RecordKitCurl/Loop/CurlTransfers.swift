import CCurl
import RecordKit

/// The transfers of a transport, on the thread of its event loop.
///
/// It isn't Sendable: only that thread uses it.
final class CurlTransfers {
    let multi: UnsafeMutableRawPointer
    private let options: CurlTransport.Options
    private let loop: EventLoop
    private let kept = KeptSockets()
    private var running: [ObjectIdentifier: CurlTransfer] = [:]
    private var idleHandles: [EasyHandle] = []
    /// Whether a server has responded over HTTP/2.
    private var usesHTTP2 = false
    /// Whether a transfer has begun, ended, or received something since the last pass.
    private var hasMoved = false

    /// Creates an empty list of transfers. Returns `nil` if libcurl can't create a multi handle.
    init?(_ options: CurlTransport.Options, loop: EventLoop) {
        guard CurlLibrary.isReady, let multi = curl_multi_init() else { return nil }
        self.multi = multi
        self.options = options
        self.loop = loop
        if let connections = options.connectionLimit {
            ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
        }
        // The limit on kept connections. By default, libcurl keeps four times the number of running transfers, so that
        // it would close most of them at the end of a burst.
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, options.connectionLimit ?? 4 * options.exchangesPerHost)
    }

    deinit {
        for transfer in running.values { curl_multi_remove_handle(multi, transfer.handle.pointer) }
        running = [:]
        idleHandles = []
        curl_multi_cleanup(multi)
    }

    var isEmpty: Bool { running.isEmpty }

    /// Adds the transfer of an exchange, unless that was cancelled.
    func start(_ exchange: CurlExchange) {
        if exchange.hasEnded { return }
        guard let handle = idleHandles.popLast() ?? EasyHandle() else {
            return _ = exchange.end(.failure(.outOfMemory(exchange.call)))
        }
        let transfer = CurlTransfer(exchange, handle, options, kept, loop)
        guard handle.refusedOption == nil, curl_multi_add_handle(multi, handle.pointer) == CURLM_OK else {
            return _ = exchange.end(.failure(.outOfMemory(exchange.call)))
        }
        running[ObjectIdentifier(exchange)] = transfer
        hasMoved = true
    }

    /// Removes the transfer of an exchange, if it is running. Closes its connection or its HTTP/2 stream.
    func remove(_ exchange: CurlExchange) {
        guard let transfer = running.removeValue(forKey: ObjectIdentifier(exchange)) else { return }
        curl_multi_remove_handle(multi, transfer.handle.pointer)
        keep(transfer.handle)
    }

    /// Continues a paused transfer, if it is running.
    func resume(_ exchange: CurlExchange) {
        guard let transfer = running[ObjectIdentifier(exchange)] else { return }
        let code = transfer.resume()
        if code != CURLE_OK { complete(transfer, code) }
    }

    /// Moves the data that can be moved without a wait, and ends what is complete. Returns whether the loop may wait.
    ///
    /// Over HTTP/2, a transfer also reads what belongs to others on its connection. libcurl (7.88.1, 8.14.1) sets
    /// timers for those, but drops them if yet another transfer begins in the same pass. A wait would then last until
    /// the timeout. So there is no wait after a pass in which something moved: the next pass reaches every transfer.
    func perform() -> Bool {
        var count: Int32 = 0
        curl_multi_perform(multi, &count)
        kept.uncork()
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            // The message is part of the handle, which is about to be reset.
            let (pointer, result) = (message.pointee.easy_handle, ccurl_result(message))
            guard message.pointee.msg == CURLMSG_DONE, let pointer, let transfer = CurlTransfer.of(pointer) else {
                continue
            }
            complete(transfer, result)
            hasMoved = true
        }
        for transfer in running.values {
            if transfer.isOverHTTP2 { usesHTTP2 = true }
            if transfer.takeHasMoved() { hasMoved = true }
            if transfer.performed() { remove(transfer.exchange) }
        }
        defer { hasMoved = false }
        return !hasMoved || !usesHTTP2 || running.isEmpty
    }

    /// Waits until data can be moved, until a timer of libcurl, or until the loop wakes the thread.
    func wait() {
        curl_multi_poll(multi, nil, 0, 3_600_000, nil)
    }

    private func complete(_ transfer: CurlTransfer, _ result: CURLcode) {
        running[ObjectIdentifier(transfer.exchange)] = nil
        // Before the outcome is delivered, so that the next exchange can use the connection.
        curl_multi_remove_handle(multi, transfer.handle.pointer)
        if transfer.beginsAgain(after: result),
            curl_multi_add_handle(multi, transfer.handle.pointer) == CURLM_OK
        {
            return running[ObjectIdentifier(transfer.exchange)] = transfer
        }
        if transfer.isOverHTTP2 { usesHTTP2 = true }
        transfer.complete(result)
        keep(transfer.handle)
    }

    /// Keeps a handle for the next transfer. It has no connection of its own.
    private func keep(_ handle: EasyHandle) {
        handle.reset()
        if idleHandles.count < options.exchangesPerHost { idleHandles.append(handle) }
    }
}
