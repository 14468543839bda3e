public import Foundation
import RecordKit
import Synchronization

/// The stubs of one server, what they were asked, and what they could not answer.
final class StubBook: Sendable {
    typealias Answer = @Sendable (StubRequest) throws -> StubAnswer

    private struct Stub {
        let pattern: StubPattern
        let answer: Answer
        /// How many different answers there are to give.
        let answerCount: Int
        let uses = Counter()
        /// How many of its requests went to a stub that was added later.
        let losses = Counter()
    }

    final class Counter: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }
        func add() { count.add(1, ordering: .relaxed) }
    }

    struct Entries: JournalEntries {
        var requests: [StubRequest] = []
        var unexpected: [UnexpectedRequest] = []

        var received: [String] { requests.map(\.description) }
    }

    let journal = Journal(Entries())
    private let report: (@Sendable (String) -> Void)?
    private let stubs = Mutex<[Stub]>([])

    init(report: (@Sendable (String) -> Void)?) {
        self.report = report
    }

    func add(_ pattern: StubPattern, answerCount: Int = 1, answer: @escaping Answer) {
        let stub = Stub(pattern: pattern, answer: answer, answerCount: answerCount)
        stubs.withLock { $0.append(stub) }
    }

    /// The answer of the latest stub that fits.
    ///
    /// - Throws: ``UnexpectedRequest``, and what a closure throws.
    func answer(to request: StubRequest) throws -> StubAnswer {
        let stubs = stubs.withLock(\.self)
        var nearest: (distance: Int, name: String, differences: [StubDifference])?
        for (index, stub) in stubs.enumerated().reversed() {
            let differences = stub.pattern.differences(to: request)
            if differences.isEmpty {
                stub.uses.add()
                for earlier in stubs[..<index] where earlier.pattern.differences(to: request).isEmpty {
                    earlier.losses.add()
                }
                journal.note { $0.requests.append(request) }
                return try stub.answer(request)
            }
            let distance = stub.pattern.distance(differences, to: request)
            if nearest.map({ distance < $0.distance }) ?? true {
                nearest = (distance, stub.pattern.name, differences)
            }
        }
        let error = UnexpectedRequest(
            request: request.description, nearest: nearest?.name, differences: nearest?.differences ?? [],
            expectation: .stub)
        journal.note { entries in
            entries.requests.append(request)
            entries.unexpected.append(error)
        }
        report?(error.description)
        throw error
    }

    /// A stub whose requests a later one answered has done its part.
    ///
    /// - Throws: ``UnmetStubs``, unless a reporter is there to be told.
    func verify() throws(UnmetStubs) {
        let unused = stubs.withLock(\.self).compactMap { stub -> UnmetStubs.Stub? in
            let given = min(stub.uses.value, stub.answerCount)
            if given >= stub.answerCount || stub.losses.value > 0 { return nil }
            return UnmetStubs.Stub(name: stub.pattern.name, given: given, answers: stub.answerCount)
        }
        let error = UnmetStubs(stubs: unused, unexpected: journal.entries.unexpected, cause: nil)
        guard let report else {
            if !error.isEmpty { throw error }
            return
        }
        // What was not expected was reported when it came.
        if !unused.isEmpty { report(UnmetStubs(stubs: unused, unexpected: [], cause: nil).description) }
    }

    /// What a test that failed ought to be told of before its own error.
    func verifyFailure(_ cause: any Error) throws(UnmetStubs) {
        let unexpected = journal.entries.unexpected
        if report == nil, !unexpected.isEmpty { throw UnmetStubs(stubs: [], unexpected: unexpected, cause: cause) }
    }
}

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
