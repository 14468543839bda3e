import Synchronization

/// How much extra load retries may put on a host: a share of the calls that are made to it, and a reserve.
///
/// When a server is down, every call fails, and retrying each of them would multiply the load that it has to recover
/// under. A budget is counted for each host by itself, and copies of a ``Retry`` share theirs.
public final class RetryBudget: Sendable {
    fileprivate static let window = Duration.seconds(10)

    private let share: Double
    private let reserve: Double
    private let balances = Mutex(HostTable<Balance>())

    /// - Parameters:
    ///   - share: how many retries each call earns: 0.2 for one retry in five calls.
    ///   - reserve: how many retries may be made beside those, at least one; what is spent comes back within 10
    ///     seconds.
    public init(share: Double = 0.2, reserve: Int = 10) {
        self.share = share.isFinite ? max(share, 0) : 0
        self.reserve = Double(max(reserve, 0))
    }

    /// A call earns its share.
    func earn(_ origin: String, now: Duration) {
        balances.withLock { balances in
            entry(origin, now, &balances).value.earn(share, reserve, now)
        }
    }

    /// Takes a retry, if there is one left.
    func spend(_ origin: String, now: Duration) -> Bool {
        balances.withLock { balances in
            entry(origin, now, &balances).value.spend(reserve, now)
        }
    }

    private func entry(
        _ origin: String, _ now: Duration, _ balances: inout HostTable<Balance>
    ) -> HostTable<Balance>.Entry {
        balances.entry(origin, default: Balance(retries: reserve, changed: now)) { now - $0.changed > Self.window }
    }

    private struct Balance {
        var retries: Double
        var changed: Duration

        mutating func earn(_ share: Double, _ reserve: Double, _ now: Duration) {
            update(reserve, now)
            retries += share
        }

        mutating func spend(_ reserve: Double, _ now: Duration) -> Bool {
            update(reserve, now)
            // What was added up from shares may lack a trifle of a whole.
            guard retries > 0.999_999 else { return false }
            retries -= 1
            return true
        }

        /// Adds what the time since the last change gave back to the reserve.
        private mutating func update(_ reserve: Double, _ now: Duration) {
            let most = max(reserve, 1)
            if changed < now {
                // Most hosts have all of it, and dividing times is slow.
                if retries < most { retries += reserve * ((now - changed) / RetryBudget.window) }
                changed = now
            }
            retries = min(retries, most)
        }
    }
}
