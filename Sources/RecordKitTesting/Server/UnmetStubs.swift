public import Foundation

/// What was not as the stubs of a test say: those that were not asked, and requests that none of them expects.
public struct UnmetStubs: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// A stub that did not give all its answers.
    public struct Stub: Sendable, Hashable {
        /// As it is named in the test.
        public let name: String
        /// How many of its answers were given.
        public let given: Int
        /// How many answers it has.
        public let answers: Int
    }

    public let stubs: [Stub]
    public let unexpected: [UnexpectedRequest]
    /// What the test threw, when it did.
    public let cause: (any Error)?

    var isEmpty: Bool { stubs.isEmpty && unexpected.isEmpty }

    /// A line for each.
    public var description: String {
        var lines = stubs.map { stub in
            stub.given == 0
                ? "The stub \(stub.name) was never asked."
                : "The stub \(stub.name) gave \(stub.given) of its \(stub.answers) answers."
        }
        lines += unexpected.map(\.description)
        if let cause { lines.append("The test threw: \(cause)") }
        return lines.joined(separator: "\n")
    }

    public var errorDescription: String? { description }
}
