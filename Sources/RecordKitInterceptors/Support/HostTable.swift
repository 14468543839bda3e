import RecordKit

/// A bounded table with a value for each host. When it is full, removes idle values.
struct HostTable<Value> {
    private var values: [URLOrigin: Value] = [:]
    private var sizeToPrune = 256

    var count: Int { values.count }

    subscript(origin: URLOrigin) -> Value? { values[origin] }

    /// Changes the value of a host, or a new value if the host has none.
    ///
    /// - Parameters:
    ///   - origin: The origin of the host.
    ///   - new: The value of a host that isn't in the table.
    ///   - isIdle: Returns whether a value carries no more information than a new one.
    ///   - change: Changes the value.
    mutating func withValue<Result>(
        of origin: URLOrigin, default new: @autoclosure () -> Value, _ isIdle: (Value) -> Bool,
        _ change: (inout Value) -> Result
    ) -> Result {
        if values[origin] == nil, values.count >= sizeToPrune {
            values = values.filter { !isIdle($0.value) }
            sizeToPrune = max(256, values.count * 2)
        }
        return change(&values[origin, default: new()])
    }
}
