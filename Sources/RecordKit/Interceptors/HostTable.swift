/// A value for each host that was called, bounded: of many hosts, those go whose value is as good as new.
struct HostTable<Value> {
    private var values: [String: Value] = [:]
    private var sizeToPrune = 256

    subscript(host: String) -> Value? {
        get { values[host] }
        set { values[host] = newValue }
    }

    /// In place, without a copy of the value.
    subscript(host: String, default new: @autoclosure () -> Value) -> Value {
        get { values[host] ?? new() }
        _modify { yield &values[host, default: new()] }
    }

    /// To be called before a host is added.
    ///
    /// - Parameter isIdle: whether a value tells no more than a new one would.
    mutating func prune(_ isIdle: (Value) -> Bool) {
        guard values.count >= sizeToPrune else { return }
        values = values.filter { !isIdle($0.value) }
        sizeToPrune = max(256, values.count * 2)
    }
}
