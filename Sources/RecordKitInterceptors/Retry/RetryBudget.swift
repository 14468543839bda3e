import RecordKit
import Synchronization

/// How much extra load retries may put on a host: a share of the calls that are made to it, and a reserve.
///
/// When a server is down, every call fails, and retrying each of them would multiply the load that it has to recover
/// under. A budget is counted for each host by itself, and copies of a ``RetryInterceptor`` share theirs.
public final class RetryBudget: Sendable {
    fileprivate static let window = Duration.seconds(10)

    private let share: Double
    private let reserve: Double
    private let balances = Mutex(HostTable<Balance>())

    /// - Parameters:
    ///   - share: how many retries each call earns: 0.2 for one retry in five calls. What is not used is forgotten
    ///     after 10 to 30 seconds.
    ///   - reserve: how many retries may be made beside those; what is spent comes back within 10 seconds.
    public init(share: Double = 0.2, reserve: Int = 10) {
        self.share = share.isFinite ? max(share, 0) : 0
        self.reserve = Double(max(reserve, 0))
    }

    /// A call earns its share.
    func earn(_ origin: Origin, now: Duration) {
        balances.withLock { balances in
            withBalance(of: origin, now, &balances) { $0.earn(share, reserve, now) }
        }
    }

    /// Takes a retry, if there is one left.
    func spend(_ origin: Origin, now: Duration) -> Bool {
        balances.withLock { balances in
            withBalance(of: origin, now, &balances) { $0.spend(reserve, now) }
        }
    }

    private func withBalance<Result>(
        of origin: Origin, _ now: Duration, _ balances: inout HostTable<Balance>, _ change: (inout Balance) -> Result
    ) -> Result {
        balances.withValue(of: origin, default: Balance(left: reserve, windowEnd: now + Self.window, changed: now)) {
            now - $0.changed > Self.window * 2
        } _: {
            change(&$0)
        }
    }

    private struct Balance {
        /// Of the reserve.
        var left: Double
        /// By the calls of this window, and by those of the one before.
        var earned = 0.0
        var earlier = 0.0
        var windowEnd: Duration
        var changed: Duration

        mutating func earn(_ share: Double, _ reserve: Double, _ now: Duration) {
            update(reserve, now)
            earned += share
        }

        mutating func spend(_ reserve: Double, _ now: Duration) -> Bool {
            update(reserve, now)
            // What was added up from shares may lack a trifle of a whole.
            guard earlier + earned + left > 0.999_999 else { return false }
            earlier -= 1
            // Each pot pays what the one before it lacks.
            if earlier < 0 { (earlier, earned) = (0, earned + earlier) }
            if earned < 0 { (earned, left) = (0, max(left + earned, 0)) }
            return true
        }

        private mutating func update(_ reserve: Double, _ now: Duration) {
            guard changed < now else { return }
            // Most hosts have all of it, and dividing times is slow.
            if left < reserve { left = min(left + reserve * ((now - changed) / RetryBudget.window), reserve) }
            changed = now
            if now < windowEnd { return }
            earlier = now - windowEnd < RetryBudget.window ? earned : 0
            earned = 0
            windowEnd = now + RetryBudget.window
        }
    }
}
