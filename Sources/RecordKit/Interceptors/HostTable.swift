/// A value for each host that was called, bounded: of many hosts, those go whose value is as good as new.
struct HostTable<Value> {
    /// By reference, so that one search finds the value and changes it in its place.
    final class Entry {
        /// Its table has an owner, who lets one at a time change it.
        @exclusivity(unchecked) var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var entries: [String: Entry] = [:]
    /// Most programs call one host most of the time, and comparing two names is quicker than finding one.
    private var latest: (origin: String, entry: Entry)?
    private var sizeToPrune = 256

    subscript(origin: String) -> Value? { entries[origin]?.value }

    /// The value of a host, or a new one.
    ///
    /// - Parameter isIdle: whether a value tells no more than a new one would.
    mutating func entry(_ origin: String, default new: @autoclosure () -> Value, _ isIdle: (Value) -> Bool) -> Entry {
        if let latest, latest.origin == origin { return latest.entry }
        let entry = entries[origin] ?? add(origin, new(), isIdle)
        latest = (origin, entry)
        return entry
    }

    private mutating func add(_ origin: String, _ value: Value, _ isIdle: (Value) -> Bool) -> Entry {
        if entries.count >= sizeToPrune {
            entries = entries.filter { !isIdle($0.value.value) }
            sizeToPrune = max(256, entries.count * 2)
        }
        let entry = Entry(value)
        entries[origin] = entry
        return entry
    }
}
