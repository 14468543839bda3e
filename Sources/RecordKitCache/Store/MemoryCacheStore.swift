public import Foundation
import Synchronization

/// Keeps responses in memory, up to a limit. Removes the least recently used ones above it.
///
/// Keeps 32 variants of a key at most: the most recently used ones.
public final class MemoryCacheStore: CacheStore {
    private struct Item {
        var entry: CacheEntry
        let body: Data
        var lastUse: Int
    }

    private struct State {
        /// The items of each key, and the keys of each URL.
        var items: [CacheKey: [Item]] = [:]
        var keys: [NormalizedURL: Set<CacheKey>] = [:]
        var usage = CacheUsage(count: 0, bytes: 0)
        /// The number of uses, to order them.
        var uses = 0
        /// The number of removals, and the number at the latest removal of each URL and of everything.
        var removals = 0
        var marks: [NormalizedURL: Int] = [:]
        var markOfAll = 0

        func mark(of url: NormalizedURL) -> RemovalMark {
            RemovalMark(max(markOfAll, marks[url] ?? 0))
        }

        mutating func countUse() -> Int {
            uses += 1
            return uses
        }

        mutating func removeItems(of key: CacheKey, where isRemoved: (Item) -> Bool) {
            guard var items = items[key] else { return }
            for item in items where isRemoved(item) {
                usage.count -= 1
                usage.bytes -= item.entry.size
            }
            items.removeAll(where: isRemoved)
            self.items[key] = items.isEmpty ? nil : items
            if items.isEmpty {
                keys[key.url]?.remove(key)
                if keys[key.url]?.isEmpty == true { keys[key.url] = nil }
            }
        }

        func index(of entry: CacheEntry) -> Int? {
            items[entry.key]?.firstIndex { $0.entry.id == entry.id }
        }

        mutating func removeVariants(of key: CacheKey, above limit: Int) {
            while let items = items[key], items.count > limit,
                let oldest = items.min(by: { $0.lastUse < $1.lastUse })
            {
                removeItems(of: key) { $0.entry.id == oldest.entry.id }
            }
        }

        /// Removes the least recently used items until 90 % of the limit are used.
        mutating func evict(to limit: Int) {
            if usage.bytes <= limit { return }
            let oldest = items.values.joined().sorted { $0.lastUse < $1.lastUse }
            for item in oldest where usage.bytes > limit / 10 * 9 {
                removeItems(of: item.entry.key) { $0.entry.id == item.entry.id }
            }
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates a store.
    ///
    /// - Parameter limit: The limit on the size of all entries and bodies, in bytes. A body may use an eighth of it.
    ///   Default: 32 MB.
    public init(limit: Int = 32 << 20) {
        self.limit = max(limit, 0)
    }

    /// An eighth of the limit.
    public var bodyLimit: Int { limit / 8 }

    /// Returns the entries of a key, and the removal mark of its URL.
    public func lookUp(_ key: CacheKey) async -> CacheLookup {
        state.withLock { state in
            CacheLookup(entries: (state.items[key] ?? []).map(\.entry), mark: state.mark(of: key.url))
        }
    }

    /// Returns the body of an entry, or `nil` if the entry is no longer stored.
    public func body(of entry: CacheEntry) async -> Data? {
        state.withLock { state in
            guard let index = state.index(of: entry) else { return nil }
            let use = state.countUse()
            state.items[entry.key]?[index].lastUse = use
            return state.items[entry.key]?[index].body
        }
    }

    /// Stores an entry and its body, unless its URL was removed since `mark`, or the body is too large.
    public func save(_ entry: CacheEntry, _ body: Data, since mark: RemovalMark) {
        if body.count > bodyLimit { return }
        let key = entry.key
        state.withLock { state in
            guard state.mark(of: key.url) == mark else { return }
            state.removeItems(of: key) { $0.entry.variant == entry.variant }
            state.removeVariants(of: key, above: CacheEntry.variantLimit - 1)
            let item = Item(entry: entry, body: body, lastUse: state.countUse())
            state.items[key, default: []].append(item)
            state.keys[key.url, default: []].insert(key)
            state.usage.count += 1
            state.usage.bytes += entry.size
            state.evict(to: limit)
        }
    }

    /// Replaces an entry, and keeps its body.
    public func update(_ entry: CacheEntry) {
        state.withLock { state in
            if state.index(of: entry) == nil { return }
            // A new `Vary` may make it the variant of another one.
            state.removeItems(of: entry.key) { $0.entry.id != entry.id && $0.entry.variant == entry.variant }
            guard let index = state.index(of: entry), let old = state.items[entry.key]?[index].entry else { return }
            state.items[entry.key]?[index].entry = entry
            state.usage.bytes += entry.size - old.size
            state.evict(to: limit)
        }
    }

    /// Removes all entries of a URL.
    public func remove(_ url: NormalizedURL) async {
        state.withLock { state in
            for key in state.keys[url] ?? [] { state.removeItems(of: key) { _ in true } }
            state.removals += 1
            state.marks[url] = state.removals
            guard state.marks.count > 10_000 else { return }
            // Forgetting the marks counts as a removal of everything: responses that are on their way aren't stored.
            state.markOfAll = state.removals
            state.marks = [:]
        }
    }

    /// Removes all entries.
    public func removeAll() async {
        state.withLock { state in
            (state.items, state.keys) = ([:], [:])
            state.usage = CacheUsage(count: 0, bytes: 0)
            state.removals += 1
            state.markOfAll = state.removals
            state.marks = [:]
        }
    }

    /// The number and size of the entries.
    public var usage: CacheUsage {
        get async { state.withLock { $0.usage } }
    }
}
