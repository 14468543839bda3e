/// One way to do the work of a workload.
struct Client: Sendable {
    let name: String
    /// Whether the others are compared with it.
    let isReference: Bool
    /// What has to live as long as this client: a server.
    private let held: (any Sendable)?
    /// Does the work so many times, and gives the figure for one.
    let turn: @Sendable (Int) async throws -> Double

    init(
        _ name: String, isReference: Bool = false, holding held: (any Sendable)? = nil,
        turn: @escaping @Sendable (Int) async throws -> Double
    ) {
        self.name = name
        self.isReference = isReference
        self.held = held
        self.turn = turn
    }

    /// Measures the time of an operation in microseconds, one after the other.
    init(
        _ name: String, isReference: Bool = false, holding held: (any Sendable)? = nil,
        operation: @escaping @Sendable () async throws -> Void
    ) {
        self.init(name, isReference: isReference, holding: held) { count in
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
