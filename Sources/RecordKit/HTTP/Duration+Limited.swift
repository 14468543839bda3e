import Dispatch

extension Duration {
    /// From zero to a year, which stands for every longer time: what adding to a clock, and counting in nanoseconds or
    /// in seconds of 64 bits, takes without a trap.
    var limited: Duration {
        min(max(self, .zero), .seconds(366 * 86_400))
    }

    /// For Dispatch, which counts nanoseconds.
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = limited.components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }

    /// Seconds as Foundation counts them.
    var timeInterval: Double {
        let (seconds, attoseconds) = limited.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
