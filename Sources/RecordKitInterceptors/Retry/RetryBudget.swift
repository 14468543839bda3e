import RecordKit
import Synchronization

/// Limits the extra load that retries put on a host: a share of the calls to it, and a reserve.
///
/// If a server is down, every call fails. Repeating each of them would multiply the load under which the server has to
/// recover. Each host has its own budget. Copies of a ``RetryInterceptor`` share their budgets.
public final class RetryBudget: Sendable {
    fileprivate static let window = Duration.seconds(10)

    private let ratio: Double
    private let reserve: Double
    private let balances = Mutex(HostTable<Balance>())

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - ratio: The number of retries that each call earns. With 0.2, five calls earn one retry. Unused retries
    ///     expire after 10 to 30 seconds. Default: 0.2.
    ///   - reserve: The number of retries in addition. Used ones come back within 10 seconds. Default: 10.
    public init(ratio: Double = 0.2, reserve: Int = 10) {
        self.ratio = ratio.isFinite ? max(ratio, 0) : 0
        self.reserve = Double(max(reserve, 0))
    }

    /// Adds the share of a call.
    func earn(_ origin: URLOrigin, now: Duration) {
        balances.withLock { balances in
            withBalance(of: origin, now, &balances) { $0.earn(ratio, reserve, now) }
        }
    }

    /// Takes a retry. Returns whether there was one left.
    func spend(_ origin: URLOrigin, now: Duration) -> Bool {
        balances.withLock { balances in
            withBalance(of: origin, now, &balances) { $0.spend(reserve, now) }
        }
    }

    private func withBalance<Result>(
        of origin: URLOrigin, _ now: Duration, _ balances: inout HostTable<Balance>, _ change: (inout Balance) -> Result
    ) -> Result {
        balances.withValue(of: origin, default: Balance(left: reserve, windowEnd: now + Self.window, changed: now)) {
            now - $0.changed > Self.window * 2
        } _: {
            change(&$0)
        }
    }

    private struct Balance {
        /// The number of retries left of the reserve.
        var left: Double
        /// The number of retries earned in this window, and in the one before.
        var earned = 0.0
        var earlier = 0.0
        var windowEnd: Duration
        var changed: Duration

        mutating func earn(_ ratio: Double, _ reserve: Double, _ now: Duration) {
            update(reserve, now)
            earned += ratio
        }

        mutating func spend(_ reserve: Double, _ now: Duration) -> Bool {
            update(reserve, now)
            // Sums of fractions may be slightly too small.
            guard earlier + earned + left > 0.999_999 else { return false }
            earlier -= 1
            // A negative amount is taken from the next source.
            if earlier < 0 { (earlier, earned) = (0, earned + earlier) }
            if earned < 0 { (earned, left) = (0, max(left + earned, 0)) }
            return true
        }

        private mutating func update(_ reserve: Double, _ now: Duration) {
            guard changed < now else { return }
            // Most hosts have the whole reserve, and dividing durations is slow.
            if left < reserve { left = min(left + reserve * ((now - changed) / RetryBudget.window), reserve) }
            changed = now
            if now < windowEnd { return }
            earlier = now - windowEnd < RetryBudget.window ? earned : 0
            earned = 0
            windowEnd = now + RetryBudget.window
        }
    }
}
