public import Foundation

/// A place for stored responses: memory, a disk, or one of the app's own.
///
/// A store keeps entries and bodies, and applies no rule of HTTP. A store that may fail behaves as if it had stored
/// nothing. Only a removal reports its failure, since the response would be used again.
///
/// ### Removal marks
///
/// A response that was requested before a change must not be stored after it. So a store counts removals.
/// ``lookUp(_:)`` returns the count of its URL before the request is sent, and ``save(_:_:since:)`` does nothing if the
/// count has changed since.
public protocol CacheStore: Sendable {
    /// The length of the largest body that the store takes, in bytes.
    var bodyLimit: Int { get }

    /// Returns the entries of a key, and the removal mark of its URL.
    func lookUp(_ key: CacheKey) async -> CacheLookup

    /// Returns the body of an entry, and counts this as a use of the entry. `nil` if the entry is no longer stored.
    func body(of entry: CacheEntry) async -> Data?

    /// Stores an entry and its body, in place of an entry with the same key and variant. Of the variants of a key,
    /// keeps
    /// ``CacheEntry/variantLimit``.
    ///
    /// Returns at once. A later ``lookUp(_:)`` finds the entry, even if it is written in the background. A failure is
    /// silent.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - body: Its body.
    ///   - mark: The removal mark from before the request. If it has changed, the store does nothing.
    func save(_ entry: CacheEntry, _ body: Data, since mark: RemovalMark)

    /// Replaces an entry with another one of the same identifier, and keeps its body. Does nothing if the entry is no
    /// longer stored. Returns at once, like ``save(_:_:since:)``. The variant may be new: then removes another entry
    /// with the same key and variant.
    func update(_ entry: CacheEntry)

    /// Removes all entries of a URL, for all credentials, and changes its removal mark.
    ///
    /// - Parameter url: The URL, as in ``CacheKey/url``.
    func remove(_ url: NormalizedURL) async throws

    /// Removes all entries, and changes all removal marks.
    func removeAll() async throws

    /// The number and size of the entries.
    var usage: CacheUsage { get async }

    /// Waits until all responses are written. Default: nothing is written in the background.
    func flush() async
}

extension CacheStore {
    /// The default: nothing is written in the background.
    public func flush() async {}
}

/// How often the entries of a URL were removed. See ``CacheStore``.
public struct RemovalMark: Hashable, Sendable {
    /// The number of removals.
    public let count: Int

    /// Creates a mark.
    ///
    /// - Parameter count: The number of removals.
    public init(_ count: Int) {
        self.count = count
    }
}

/// The entries that a store has for a key.
public struct CacheLookup: Sendable {
    /// The entries in any order, one for each variant.
    public var entries: [CacheEntry]
    /// The removal mark of the URL. See ``CacheStore``.
    public var mark: RemovalMark

    /// Creates the result of a look-up.
    public init(entries: [CacheEntry], mark: RemovalMark) {
        self.entries = entries
        self.mark = mark
    }
}

/// How much a store contains.
public struct CacheUsage: Sendable, Equatable {
    /// The number of stored responses.
    public var count: Int
    /// Their size in bytes, with header fields, and in memory with what keeping them costs.
    public var bytes: Int

    /// Creates a usage.
    public init(count: Int, bytes: Int) {
        self.count = count
        self.bytes = bytes
    }
}
