/// One way to do the work of a workload.
struct Client: Sendable {
    let name: String
    /// Whether the others are compared with it.
    let isReference: Bool
    /// Does the work so many times, and gives the figure for one.
    let turn: @Sendable (Int) async throws -> Double

    init(_ name: String, isReference: Bool = false, turn: @escaping @Sendable (Int) async throws -> Double) {
        self.name = name
        self.isReference = isReference
        self.turn = turn
    }

    /// Measures the time of an operation in microseconds, one after the other.
    init(_ name: String, isReference: Bool = false, operation: @escaping @Sendable () async throws -> Void) {
        self.init(name, isReference: isReference) { count in
            let start = ContinuousClock.now
            for _ in 0..<count { try await operation() }
            return (ContinuousClock.now - start).microseconds / Double(count)
        }
    }
}

extension Duration {
    var microseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1e6 + Double(attoseconds) / 1e12
    }
}

/// An answer that is not what the workload asked for: measuring it would say nothing.
struct WrongAnswer: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
