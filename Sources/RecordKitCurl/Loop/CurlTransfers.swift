import CCurl
import RecordKit

/// The transfers of a transport, on the thread of its event loop.
///
/// It isn't Sendable: only that thread uses it.
final class CurlTransfers {
    let multi: UnsafeMutableRawPointer
    private let options: CurlTransport.Options
    private let loop: EventLoop
    private var running: [ObjectIdentifier: CurlTransfer] = [:]
    private var idleHandles: [EasyHandle] = []

    /// Creates an empty list of transfers. Returns `nil` if libcurl can't create a multi handle.
    init?(_ options: CurlTransport.Options, loop: EventLoop) {
        guard CurlLibrary.isReady, let multi = curl_multi_init() else { return nil }
        self.multi = multi
        self.options = options
        self.loop = loop
        if let connections = options.connections {
            ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
        }
        // The limit on kept connections. By default, libcurl keeps four times the number of running transfers, so that it
        // would close most of them at the end of a burst.
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, options.connections ?? 4 * options.exchangesPerHost)
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
        let transfer = CurlTransfer(exchange, handle, options, loop)
        guard handle.refusedOption == nil, curl_multi_add_handle(multi, handle.pointer) == CURLM_OK else {
            return _ = exchange.end(.failure(.outOfMemory(exchange.call)))
        }
        running[ObjectIdentifier(exchange)] = transfer
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

    /// Moves the data that can be moved without a wait, and ends what is complete.
    func perform() {
        var count: Int32 = 0
        curl_multi_perform(multi, &count)
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            // The message is part of the handle, which is about to be reset.
            let (pointer, result) = (message.pointee.easy_handle, ccurl_result(message))
            guard message.pointee.msg == CURLMSG_DONE, let pointer, let transfer = CurlTransfer.of(pointer) else {
                continue
            }
            complete(transfer, result)
        }
        for transfer in running.values where transfer.performed() { remove(transfer.exchange) }
    }

    /// Waits until data can be moved, until a timer of libcurl, or until the loop wakes the thread.
    func wait() {
        curl_multi_poll(multi, nil, 0, 3_600_000, nil)
    }

    private func complete(_ transfer: CurlTransfer, _ result: CURLcode) {
        running[ObjectIdentifier(transfer.exchange)] = nil
        // Before the outcome is delivered, so that the next exchange can use the connection.
        curl_multi_remove_handle(multi, transfer.handle.pointer)
        transfer.complete(result)
        keep(transfer.handle)
    }

    /// Keeps a handle for the next transfer. It has no connection of its own.
    private func keep(_ handle: EasyHandle) {
        handle.reset()
        if idleHandles.count < options.exchangesPerHost { idleHandles.append(handle) }
    }
}
