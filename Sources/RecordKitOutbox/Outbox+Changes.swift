import Foundation
import RecordKit

/// What waits for changes of an outbox: its own tasks, and the readers of its status.
struct Observers {
    struct Reader {
        let continuation: AsyncStream<OutboxStatus>.Continuation
        var last: OutboxStatus?
    }

    /// The number of changes so far.
    var count = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
    var readers: [UUID: Reader] = [:]
    /// Whether the status is about to be sent to the readers.
    var isPublishing = false
}

extension Outbox {
    /// The number of entries of the current account, and whether they can be sent.
    public func status() async -> OutboxStatus {
        let accounts = account.visible
        var status = OutboxStatus()
        do throws(OutboxError) {
            status = try await store.perform { try $0.counts(of: accounts) }
            status.pause = pacing.pause
        } catch {
            status.pause = .file(error)
        }
        status.sending = flights.values.count { $0.account.map(accounts.contains) ?? false }
        return status
    }

    /// The status as a stream of changes that begins with the current one.
    ///
    /// Each stream has one reader. A slow reader gets only the latest status. What other processes add is seen when
    /// this outbox changes, too. A stream doesn't end.
    public nonisolated var changes: AsyncStream<OutboxStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: OutboxStatus.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        continuation.onTermination = { [weak self] _ in Task { await self?.removeReader(id) } }
        Task { await addReader(id, continuation) }
        return stream
    }

    private func addReader(_ id: UUID, _ continuation: AsyncStream<OutboxStatus>.Continuation) {
        observers.readers[id] = Observers.Reader(continuation: continuation)
        publish()
    }

    private func removeReader(_ id: UUID) {
        observers.readers[id] = nil
    }

    /// Notes a change: wakes the tasks that wait for one, and tells the readers.
    func changed() {
        observers.count += 1
        for waiter in observers.waiters { waiter.resume() }
        observers.waiters = []
        publish()
    }

    /// Sends the status to the readers, once for changes that come together.
    private func publish() {
        if observers.readers.isEmpty || observers.isPublishing { return }
        observers.isPublishing = true
        Task {
            observers.isPublishing = false
            let status = await status()
            for (id, reader) in observers.readers where reader.last != status {
                observers.readers[id]?.last = status
                reader.continuation.yield(status)
            }
        }
    }

    /// Waits for a change.
    ///
    /// - Parameters:
    ///   - count: The number of changes that the caller knows.
    ///   - time: The time at which to stop waiting, or `nil`.
    func change(since count: Int, until time: Duration? = nil) async {
        if count != observers.count { return }
        let timer = time.map { time in
            Task {
                do { try await clock.sleep(max(time - clock.now(), .zero)) } catch { return }
                changed()
            }
        }
        defer { timer?.cancel() }
        await withCheckedContinuation { observers.waiters.append($0) }
    }
}
