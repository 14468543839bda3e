/// One of the implementations that a workload compares.
struct Client: Sendable {
    let name: String
    /// Whether other clients are compared with this one.
    let isReference: Bool
    /// An object that must live as long as this client, such as a server.
    private let held: (any Sendable)?
    /// What the environment of the process that counts instructions has in addition.
    var environment: [String: String] = [:]
    /// Does the work a number of times, and returns the figure for one time.
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

    /// Creates a client that measures the mean time of sequential operations, in microseconds.
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

/// A response that the workload did not expect, which would make its figures meaningless.
struct WrongAnswer: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
