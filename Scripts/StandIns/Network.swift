// Declarations of Apple's Network that RecordKit uses, for Scripts/apple on Linux. Nothing of it is run.

public struct NWPath: Sendable {
    public enum Status: Sendable {
        case satisfied, unsatisfied, requiresConnection
    }

    public var status: Status { .unsatisfied }
}

public final class NWPathMonitor: AsyncSequence, Sendable {
    public struct Iterator: AsyncIteratorProtocol {
        public mutating func next() async -> NWPath? { nil }
    }

    public init() {}

    public func makeAsyncIterator() -> Iterator { Iterator() }
}
