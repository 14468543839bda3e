/// A value for each host that was called, bounded: of many hosts, those go whose value is as good as new.
struct HostTable<Value> {
    /// By reference, so that one search finds the value and changes it in its place.
    final class Entry {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var entries: [String: Entry] = [:]
    private var sizeToPrune = 256

    subscript(origin: String) -> Value? { entries[origin]?.value }

    /// The value of a host, or a new one.
    ///
    /// - Parameter isIdle: whether a value tells no more than a new one would.
    mutating func entry(_ origin: String, default new: @autoclosure () -> Value, _ isIdle: (Value) -> Bool) -> Entry {
        if let entry = entries[origin] { return entry }
        if entries.count >= sizeToPrune {
            entries = entries.filter { !isIdle($0.value.value) }
            sizeToPrune = max(256, entries.count * 2)
        }
        let entry = Entry(new())
        entries[origin] = entry
        return entry
    }
}
