import CCurl
import Synchronization

/// The thread that runs all transfers of a transport, and the commands for it.
///
/// The thread starts with the first exchange. It ends after ``finish()``, when no transfer is left.
final class EventLoop: Sendable {
    /// A command for the thread.
    enum Command {
        case start(CurlExchange)
        /// Removes the transfer of a cancelled exchange, or of a cancelled stream.
        case remove(CurlExchange)
        /// Continues a paused transfer.
        case resume(CurlExchange)
    }

    private struct Inbox: ~Copyable {
        var commands: [Command] = []
        /// The address of the handle to wake, while the thread waits or is about to wait.
        ///
        /// `curl_multi_wakeup` is the one function that another thread may call with it.
        var waiting: UInt?
        var hasThread = false
        var isFinishing = false
    }

    private let options: CurlTransport.Options
    private let inbox = Mutex(Inbox())
    /// Whether the inbox has changed since the thread read it.
    private let hasNews = Atomic(false)

    init(_ options: CurlTransport.Options) {
        self.options = options
    }

    func start(_ exchange: CurlExchange) { send(.start(exchange)) }
    func remove(_ exchange: CurlExchange) { send(.remove(exchange)) }
    func resume(_ exchange: CurlExchange) { send(.resume(exchange)) }

    /// Has the thread end when no transfer is left.
    func finish() {
        inbox.withLock { inbox in
            inbox.isFinishing = true
            wake(&inbox)
        }
    }

    private func send(_ command: Command) {
        let needsThread = inbox.withLock { inbox in
            // Without a thread, there is nothing to remove or to resume.
            let needsThread = !inbox.hasThread
            if needsThread {
                guard case .start = command else { return false }
            }
            inbox.hasThread = true
            inbox.commands.append(command)
            wake(&inbox)
            return needsThread
        }
        if !needsThread { return }
        CurlThread.start(named: "RecordKitCurl") { self.run() }
    }

    /// Signals a change to the thread, and wakes it, once for each wait. The lock keeps the handle alive.
    private func wake(_ inbox: inout Inbox) {
        _ = hasNews.exchange(true, ordering: .acquiringAndReleasing)
        if let address = inbox.waiting.take() { curl_multi_wakeup(UnsafeMutableRawPointer(bitPattern: address)) }
    }

    /// Runs on the thread.
    private func run() {
        guard let transfers = CurlTransfers(options, loop: self) else { return abandon() }
        while let commands = nextCommands(isIdle: transfers.isEmpty) {
            for command in commands {
                switch command {
                case .start(let exchange): transfers.start(exchange)
                case .remove(let exchange): transfers.remove(exchange)
                case .resume(let exchange): transfers.resume(exchange)
                }
            }
            if transfers.perform(), prepareToWait(UInt(bitPattern: transfers.multi), isIdle: transfers.isEmpty) {
                CurlThread.allowExit { transfers.wait() }
                inbox.withLock { $0.waiting = nil }
            }
        }
    }

    /// Ends the exchanges of a thread that couldn't start. The next exchange tries again.
    private func abandon() {
        let commands = inbox.withLock { inbox in
            inbox.hasThread = false
            defer { inbox.commands = [] }
            return inbox.commands
        }
        for case .start(let exchange) in commands { exchange.end(.failure(.outOfMemory(exchange.call))) }
    }

    /// Returns the commands, or `nil` if the thread is to end.
    private func nextCommands(isIdle: Bool) -> [Command]? {
        // Most passes only move data, and need no lock.
        if !hasNews.load(ordering: .relaxed), !isIdle { return [] }
        return inbox.withLock { inbox in
            _ = hasNews.exchange(false, ordering: .acquiringAndReleasing)
            if inbox.isFinishing, isIdle, inbox.commands.isEmpty {
                inbox.hasThread = false
                return nil
            }
            defer { inbox.commands.removeAll(keepingCapacity: true) }
            return inbox.commands
        }
    }

    /// Announces that the thread is about to wait. Returns false if it has something to do.
    private func prepareToWait(_ multi: UInt, isIdle: Bool) -> Bool {
        inbox.withLock { inbox in
            if !inbox.commands.isEmpty || inbox.isFinishing && isIdle { return false }
            inbox.waiting = multi
            return true
        }
    }
}
