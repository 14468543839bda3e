import RecordKit
import RecordKitCache
import RecordKitTesting
import TestSupport
import XCTest

/// A server in the process whose responses a closure makes.
final class HandledServer: NetworkTransport {
    struct Answer: Sendable {
        var status = 200
        var fields: [String] = []
        var body = ""
    }

    let traits: TransportTraits
    private let clock: ManualClock
    private let handler: @Sendable (NetworkCall) async -> Answer
    private let received = Kept<[NetworkCall]>([])

    init(
        clock: ManualClock, slots: HostSlots? = nil, handler: @escaping @Sendable (NetworkCall) async -> Answer
    ) {
        self.clock = clock
        traits = TransportTraits(slots: slots)
        self.handler = handler
    }

    /// The calls that were received.
    var calls: [NetworkCall] { received.now }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        received.add(call)
        let answer = await handler(call)
        if Task.isCancelled { throw .cancelled }
        return NetworkResponse(
            statusCode: answer.status, headers: clock.headers(answer.fields), body: Data(answer.body.utf8),
            url: call.url)
    }

    /// Waits until a number of calls were received. Repeats `action` meanwhile.
    func waitForCalls(_ count: Int, _ action: () async -> Void = {}) async {
        while calls.count < count {
            await action()
            await Task.yield()
        }
    }
}

/// A store in memory that doesn't remove anything.
final class StubbornStore: CacheStore {
    private struct CannotRemove: Error {}

    private let store = MemoryCacheStore()
    let canRemove = Kept(false)
    let lookUps = Kept(0)

    var bodyLimit: Int { store.bodyLimit }

    func lookUp(_ key: CacheKey) async -> CacheLookup {
        lookUps.next()
        return await store.lookUp(key)
    }

    func body(of entry: CacheEntry) async -> Data? { await store.body(of: entry) }

    func save(_ entry: CacheEntry, _ body: Data, since mark: RemovalMark) { store.save(entry, body, since: mark) }

    func update(_ entry: CacheEntry) { store.update(entry) }

    func remove(_ url: NormalizedURL) async throws {
        guard canRemove.now else { throw CannotRemove() }
        await store.remove(url)
    }

    func removeAll() async throws {
        guard canRemove.now else { throw CannotRemove() }
        await store.removeAll()
    }

    var usage: CacheUsage {
        get async { await store.usage }
    }
}

extension HTTPCache {
    /// Waits until the stored response to a request is fresh.
    func waitUntilFresh(_ ask: Ask<String>, _ network: NetworkSession, _ clock: ManualClock) async {
        var ask = ask
        ask.headers["Cache-Control"] = "only-if-cached, max-age=1"
        while (try? await network.value(for: ask)) == nil { await Task.yield() }
    }
}
