import Synchronization

/// A value that closures and tasks share.
public final class Kept<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    public init(_ value: Value) { self.value = Mutex(value) }

    public var now: Value { value.withLock { $0 } }

    public func set(_ new: Value) { value.withLock { $0 = new } }

    @discardableResult
    public func change<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        value.withLock { change(&$0) }
    }
}

extension Kept where Value: FixedWidthInteger {
    /// Returns the number, and adds one to it.
    @discardableResult
    public func next() -> Value {
        change { number in
            defer { number += 1 }
            return number
        }
    }
}

extension Kept where Value: RangeReplaceableCollection {
    @Sendable public func add(_ element: Value.Element) { change { $0.append(element) } }
}
