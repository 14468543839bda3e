import RecordKit

/// A value for each host that was called, bounded: of many hosts, those go whose value is as good as new.
struct HostTable<Value> {
    private var values: [Origin: Value] = [:]
    private var sizeToPrune = 256

    subscript(origin: Origin) -> Value? { values[origin] }

    /// Changes the value of a host, or a new one.
    ///
    /// - Parameter isIdle: Whether a value tells no more than a new one would.
    mutating func withValue<Result>(
        of origin: Origin, default new: @autoclosure () -> Value, _ isIdle: (Value) -> Bool,
        _ change: (inout Value) -> Result
    ) -> Result {
        if values[origin] == nil, values.count >= sizeToPrune {
            values = values.filter { !isIdle($0.value) }
            sizeToPrune = max(256, values.count * 2)
        }
        return change(&values[origin, default: new()])
    }
}
