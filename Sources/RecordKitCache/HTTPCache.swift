public import Foundation
public import RecordKit
import Synchronization

/// A private HTTP cache (RFC 9111) for the calls of one user.
///
/// ```swift
/// let cache = HTTPCache()
/// let configuration = NetworkConfiguration(
///     environment: .production,
///     transport: cache.transport(URLSessionTransport()))
/// ```
///
/// The cache is a transport around another one. So it is below the interceptors, redirects and cookies: it sees
/// requests exactly as they are sent, with their credentials. A response is only used for requests with the same
/// credentials.
///
/// A stored response takes no slot and starts no timeout. ``CachePolicy`` sets what a request may use. See
/// <doc:Caching>.
///
/// Data tasks don't pass the cache: they neither use nor store responses, and invalidate none.
public final class HTTPCache: Sendable {
    private struct State {
        /// The number of unsafe requests in flight for each URL. Their outcome may be unknown to the client before it
        /// is to the cache.
        var changing: [NormalizedURL: Int] = [:]
        /// The URLs of which several unsafe requests have been in flight at once.
        var overlapping: Set<NormalizedURL> = []
        /// The URLs whose removal failed. Their entries aren't used.
        var unremoved: Set<NormalizedURL> = []
        /// The keys that are validated in the background.
        var validating: Set<CacheKey> = []
        /// The bytes of the bodies that are collected while their streams are read.
        var collected = 0
    }

    /// Where the responses are stored.
    let store: any CacheStore
    private let state = Mutex(State())

    /// Creates a cache.
    ///
    /// - Parameter store: Where the responses are stored. Default: in memory, up to 32 MB.
    public init(store: any CacheStore = MemoryCacheStore()) {
        self.store = store
    }

    /// Returns a transport that stores the responses of another one, and uses them.
    ///
    /// Several transports may share a cache.
    ///
    /// - Parameter transport: The transport that sends requests.
    public func transport(_ transport: any NetworkTransport) -> any NetworkTransport {
        CacheTransport(cache: self, transport: transport)
    }

    /// Removes all responses of a URL, for all credentials. Responses that are on their way aren't stored.
    ///
    /// - Parameter url: The URL. Its fragment is ignored.
    /// - Throws: The error of the store, which may be one of the app. The responses are then no longer used by this
    ///   cache, but they may still be stored.
    public func remove(_ url: URL) async throws {
        try await remove(NormalizedURL(url))
    }

    /// Removes all responses, such as when the user signs out. Responses that are on their way aren't stored.
    ///
    /// - Throws: The error of the store. The responses may still be stored then, and are used for requests with the
    ///   same credentials.
    public func removeAll() async throws {
        try await store.removeAll()
        state.withLock { $0.unremoved = [] }
    }

    /// The number and size of the stored responses.
    public var usage: CacheUsage {
        get async { await store.usage }
    }
}

extension HTTPCache {
    /// Returns the entries of a key and the removal mark of its URL, or `nil` if the store couldn't remove the URL's
    /// entries.
    func lookUp(_ key: CacheKey) async -> CacheLookup? {
        if state.withLock({ $0.unremoved.contains(key.url) }) {
            do { try await remove(key.url) } catch { return nil }
        }
        return await store.lookUp(key)
    }

    /// Removes the entries of a URL. If that fails, they are no longer used.
    func remove(_ url: NormalizedURL) async throws {
        do {
            try await store.remove(url)
            state.withLock { _ = $0.unremoved.remove(url) }
        } catch {
            state.withLock { _ = $0.unremoved.insert(url) }
            throw error
        }
    }

    /// Whether an unsafe request for the URL is in flight.
    func isChanging(_ url: NormalizedURL) -> Bool {
        state.withLock { $0.changing[url] != nil }
    }

    func changeBegins(_ url: NormalizedURL) {
        state.withLock { state in
            state.changing[url, default: 0] += 1
            if state.changing[url] != 1 { state.overlapping.insert(url) }
        }
    }

    func changeEnds(_ url: NormalizedURL) {
        state.withLock { state in
            let count = state.changing[url, default: 1] - 1
            state.changing[url] = count > 0 ? count : nil
            if count == 0 { state.overlapping.remove(url) }
        }
    }

    /// Whether several unsafe requests for the URL are in flight, or were during one that still is.
    func changesOverlap(_ url: NormalizedURL) -> Bool {
        state.withLock { $0.overlapping.contains(url) }
    }

    /// Counts bytes of a body that is collected beside its stream. Returns false, and counts nothing, if all such
    /// bodies together would exceed the limit for one body.
    func collect(_ count: Int) -> Bool {
        state.withLock { state in
            if state.collected + count > store.bodyLimit { return false }
            state.collected += count
            return true
        }
    }

    func discard(_ count: Int) {
        state.withLock { $0.collected -= count }
    }

    /// Returns a closure that ends the validation of a key, or `nil` if the key is validated already.
    func beginValidation(_ key: CacheKey) -> (@Sendable () -> Void)? {
        guard state.withLock({ $0.validating.insert(key).inserted }) else { return nil }
        return { self.state.withLock { _ = $0.validating.remove(key) } }
    }
}

extension NetworkEvent.Kind {
    /// A stored response was used. The detail states its age, and whether it is validated in the background.
    public static let cacheHit = NetworkEvent.Kind(rawValue: "cacheHit")
    /// A stale response was used, since the request allows it or the server couldn't respond.
    public static let cacheStale = NetworkEvent.Kind(rawValue: "cacheStale")
    /// There was no stored response for the request.
    public static let cacheMiss = NetworkEvent.Kind(rawValue: "cacheMiss")
    /// A stored response was validated. The detail states whether the server confirmed it.
    public static let cacheValidation = NetworkEvent.Kind(rawValue: "cacheValidation")
}
