import Dispatch

extension Duration {
    /// The duration clamped to the range from zero to a year.
    ///
    /// A much longer duration traps when it is added to a clock's time or converted to nanoseconds in 64 bits.
    var limited: Duration {
        min(max(self, .zero), .seconds(366 * 86_400))
    }

    /// The limited duration as Dispatch represents it, in nanoseconds.
    var dispatchInterval: DispatchTimeInterval { .nanoseconds(Int(limited / .nanoseconds(1))) }

    /// The limited duration as Foundation represents it, in seconds.
    var timeInterval: Double { limited / .seconds(1) }

    /// A short string for messages and logs, such as `0.4 ms`, `120 ms` or `2.0 s`.
    var shortText: String {
        let tenths = Int(limited / .microseconds(100))
        return switch tenths {
        case ..<100: "\(tenths / 10).\(tenths % 10) ms"
        case ..<10_000: "\(tenths / 10) ms"
        default: "\(tenths / 10_000).\(tenths / 1000 % 10) s"
        }
    }
}
