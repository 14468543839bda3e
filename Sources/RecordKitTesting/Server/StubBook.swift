public import Foundation
import RecordKit
import Synchronization

/// The stubs of a server, and the requests it received.
final class StubBook: Sendable {
    typealias Responder = @Sendable (StubRequest) throws -> StubResponse

    private struct Stub {
        let pattern: StubPattern
        let respond: Responder
        /// The number of responses of the stub.
        let responseCount: Int
        var uses = 0
        /// The number of matching requests that a later stub responded to.
        var losses = 0
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

    func add(_ pattern: StubPattern, responseCount: Int = 1, respond: @escaping Responder) {
        let stub = Stub(pattern: pattern, respond: respond, responseCount: responseCount)
        stubs.withLock { $0.append(stub) }
    }

    /// Returns the response of the latest stub that matches.
    ///
    /// - Throws: ``UnexpectedRequest``, and the error of a closure.
    func response(to request: StubRequest) throws -> StubResponse {
        let stubs = stubs.withLock(\.self)
        let matching = stubs.indices.filter { stubs[$0].pattern.differences(to: request).isEmpty }
        if let last = matching.last {
            self.stubs.withLock { stubs in
                stubs[last].uses += 1
                for index in matching.dropLast() { stubs[index].losses += 1 }
            }
            journal.note { $0.requests.append(request) }
            return try stubs[last].respond(request)
        }
        let nearest = StubPattern.nearest(of: stubs.reversed().map(\.pattern), to: request)
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

    /// Checks that every stub was used. A stub that a later one replaced counts as used.
    ///
    /// - Throws: ``UnmetStubsError``, unless there is a reporter.
    func verify() throws(UnmetStubsError) {
        let unused = stubs.withLock(\.self).compactMap { stub -> UnmetStubsError.Stub? in
            let used = min(stub.uses, stub.responseCount)
            if used >= stub.responseCount || stub.losses > 0 { return nil }
            return UnmetStubsError.Stub(name: stub.pattern.name, used: used, responses: stub.responseCount)
        }
        let error = UnmetStubsError(stubs: unused, unexpected: journal.entries.unexpected, cause: nil)
        guard let report else {
            if !error.isEmpty { throw error }
            return
        }
        // Unexpected requests were reported when they arrived.
        if !unused.isEmpty { report(UnmetStubsError(stubs: unused, unexpected: [], cause: nil).description) }
    }

    /// Throws the unexpected requests of a test that failed, because they may be its reason.
    func verifyFailure(_ cause: any Error) throws(UnmetStubsError) {
        let unexpected = journal.entries.unexpected
        if report == nil, !unexpected.isEmpty { throw UnmetStubsError(stubs: [], unexpected: unexpected, cause: cause) }
    }
}

/// The stubs that a test didn't use, and the requests that it didn't expect.
public struct UnmetStubsError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// A stub that wasn't used for all its responses.
    public struct Stub: Sendable, Hashable {
        /// The stub as named in the test.
        public let name: String
        /// The number of responses that were used.
        public let used: Int
        /// The number of responses of the stub.
        public let responses: Int
    }

    /// The stubs that weren't used.
    public let stubs: [Stub]
    /// The requests that no stub expects.
    public let unexpected: [UnexpectedRequest]
    /// The error that the test threw, if any.
    public let cause: (any Error)?

    var isEmpty: Bool { stubs.isEmpty && unexpected.isEmpty }

    /// A message with a line for each stub and request.
    public var description: String {
        var lines = stubs.map { stub in
            stub.used == 0
                ? "The stub \(stub.name) received no request."
                : "The stub \(stub.name) sent \(stub.used) of its \(stub.responses) responses."
        }
        lines += unexpected.map(\.description)
        if let cause { lines.append("The test threw: \(cause)") }
        return lines.joined(separator: "\n")
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
