import RecordKit

extension Outbox {
    /// The number of entries of the current account, and whether they can be sent.
    public func status() async -> OutboxStatus {
        let (accounts, known) = (accounts, kindNames)
        var status = OutboxStatus()
        do throws(OutboxError) {
            status = try await store.perform { try $0.counts(of: accounts, known: known) }
            status.pause = pacing.pause
        } catch {
            (status.waiting, status.setAside, status.pause) = (nil, nil, .file(error))
        }
        status.sending = flights.values.count { accounts.contains($0.account) }
        return status
    }

    /// The changes of the status, beginning with the current one.
    ///
    /// Each stream has one reader. A slow reader gets only the latest status. What other processes add is seen when
    /// this outbox changes, too. A stream doesn't end, and keeps the outbox until its reader does.
    public nonisolated var statusUpdates: AsyncStream<OutboxStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task { await publish(to: continuation) }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func publish(to reader: AsyncStream<OutboxStatus>.Continuation) async {
        var last: OutboxStatus?
        while !Task.isCancelled {
            let seen = changeCount
            let status = await status()
            if status != last { reader.yield(status) }
            last = status
            await change(since: seen)
        }
    }

    /// Notes a change: wakes the tasks that wait for one.
    func changed() {
        changeCount += 1
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Waits for a change, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: The number of changes that the caller has seen.
    ///   - time: The time at which to stop waiting, or `nil`.
    func change(since count: Int, until time: Duration? = nil) async {
        if count != changeCount || Task.isCancelled { return }
        let timer = time.map { time in
            Task {
                do { try await clock.sleep(max(time - clock.now(), .zero)) } catch { return }
                changed()
            }
        }
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiters.append($0) }
        } onCancel: {
            Task { await self.changed() }
        }
    }
}
