import Synchronization

/// How much extra load retries may put on a host: a share of the calls that are made to it, and a reserve.
///
/// When a server is down, every call fails, and retrying each of them would multiply the load that it has to recover
/// under. A budget is counted for each host by itself, and copies of a ``Retry`` share theirs.
public final class RetryBudget: Sendable {
    private struct Balance {
        var retries: Double
        var changed: Duration
    }

    private static let window = Duration.seconds(10)

    private let share: Double
    private let reserve: Double
    private let balances = Mutex(HostTable<Balance>())

    /// - Parameters:
    ///   - share: how many retries each call earns: 0.2 for one retry in five calls.
    ///   - reserve: how many retries may be made beside those, at least one; what is spent comes back within 10 seconds.
    public init(share: Double = 0.2, reserve: Int = 10) {
        self.share = share.isFinite ? max(share, 0) : 0
        self.reserve = Double(max(reserve, 0))
    }

    /// A call earns its share.
    func earn(_ host: String, now: Duration) {
        balances.withLock { balances in
            var balance = balance(balances[host], now)
            balance.retries += share
            balances.prune { now - $0.changed > Self.window }
            balances[host] = balance
        }
    }

    /// Takes a retry, if there is one left.
    func spend(_ host: String, now: Duration) -> Bool {
        balances.withLock { balances in
            var balance = balance(balances[host], now)
            // What was added up from shares may lack a trifle of a whole.
            guard balance.retries > 0.999_999 else { return false }
            balance.retries -= 1
            balances[host] = balance
            return true
        }
    }

    /// With what the time since the last change gave back to the reserve.
    private func balance(_ earlier: Balance?, _ now: Duration) -> Balance {
        guard var balance = earlier else { return Balance(retries: reserve, changed: now) }
        if balance.changed < now {
            balance.retries += reserve * ((now - balance.changed) / Self.window)
            balance.changed = now
        }
        balance.retries = min(balance.retries, max(reserve, 1))
        return balance
    }
}
