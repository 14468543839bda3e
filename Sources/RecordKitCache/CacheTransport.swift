import Foundation
import RecordKit
import Synchronization

/// A transport that stores the responses of another one.
///
/// The driver asks for a stored response before it sends a request. So `exchange` always sends the request, with
/// conditions if there is something to validate.
struct CacheTransport: NetworkTransport, ResponseStore {
    let cache: HTTPCache
    let transport: any NetworkTransport

    var traits: TransportTraits {
        var traits = transport.traits
        traits.store = self
        return traits
    }

    // MARK: - Before and after the exchange

    func response(
        for call: inout NetworkCall, after error: NetworkError?
    ) async throws(NetworkError) -> StoredResponse? {
        guard let request = CacheRequest(call) else { return nil }
        let found = await find(request)
        if let error {
            guard error.allowsStaleResponse, let entry = found?.selected,
                let response = await staleResponse(from: entry, to: request)
            else { return nil }
            return StoredResponse(response)
        }
        call.options[FoundEntry.self] = found
        if let stored = await storedResponse(to: request, from: found?.selected) { return stored }
        if request.policy == .cacheOnly {
            throw .interceptor(
                NetworkError.InterceptorFailure(
                    interceptor: "HTTPCache",
                    reason:
                        "no response is stored, and the policy is `cacheOnly`; use `cacheFirst` to send the request",
                    mayHaveReachedServer: false))
        }
        if request.control.has("only-if-cached") {
            return StoredResponse(NetworkResponse(statusCode: 504, url: call.url))
        }
        return nil
    }

    private func find(_ request: CacheRequest) async -> FoundEntry? {
        guard let lookup = await cache.lookUp(request.key) else { return nil }
        return FoundEntry(cache, request, lookup)
    }

    /// Returns the entry that was found before the exchange, or looks it up if the call has changed since.
    private func find(_ call: NetworkCall) async -> FoundEntry? {
        if let found = call.options[FoundEntry.self], found.isOf(call, in: cache) { return found }
        guard let request = CacheRequest(call) else { return nil }
        return await find(request)
    }

    /// Returns the stored response for a request that hasn't been sent, if it may be used.
    private func storedResponse(to request: CacheRequest, from entry: CacheEntry?) async -> StoredResponse? {
        let call = request.call
        let start = call.clock.now()
        guard let entry else {
            call.report(.cacheMiss, since: start, detail: "no stored response")
            return nil
        }
        let isOffline = request.policy == .cacheOnly
        // The first attempt got this stored error response, and a retry wants a new one.
        if !isOffline, call.attempt > 1, entry.statusCode >= 400 { return nil }
        if !isOffline, cache.isChanging(request.key.url) { return nil }
        let now = call.clock.date()
        guard let use = request.use(of: entry, at: now) else { return nil }
        let age = entry.freshness.age(at: now)
        guard let response = await response(from: entry, to: request, age: age) else { return nil }
        var onValidated: (@Sendable () -> Void)?
        if use == .staleWhileValidated { onValidated = cache.beginValidation(request.key) }
        call.report(use == .fresh ? .cacheHit : .cacheStale, since: start) {
            "\(use == .fresh ? "stored" : "stale") response, \(Freshness.text(ofAge: age)) s old"
                + (onValidated == nil ? "" : ", validated in the background")
        }
        return StoredResponse(response, onValidated: onValidated)
    }

    private func staleResponse(from entry: CacheEntry, to request: CacheRequest) async -> NetworkResponse? {
        let call = request.call
        let now = call.clock.date()
        if call.attempt > 1, entry.statusCode >= 400 { return nil }
        guard request.allowsUseAfterError(of: entry, at: now), !cache.isChanging(request.key.url) else { return nil }
        let age = entry.freshness.age(at: now)
        guard let response = await response(from: entry, to: request, age: age) else { return nil }
        call.report(.cacheStale, since: call.clock.now()) {
            "stored response after an error, \(Freshness.text(ofAge: age)) s old"
        }
        return response
    }

    private func response(from entry: CacheEntry, to request: CacheRequest, age: Double?) async -> NetworkResponse? {
        await Reuse.response(from: entry, to: request, age: age) { await cache.store.body(of: entry) }
    }

    // MARK: - The exchange

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if !call.method.isSafe { return try await change(call) }
        guard let found = await find(call) else { return try await transport.exchange(call) }
        var request = found.request
        request.call = call
        let (lookup, selected) = (found.lookup, found.selected)
        if request.policy != .reload, !request.isHead, !request.isPartialOrConditional,
            let conditional = Validation.conditional(call, for: lookup.entries, selected: selected)
        {
            return try await validated(request, conditional, lookup, selected)
        }
        let requested = call.clock.date()
        let response = try await transport.exchange(request.forOtherCaches)
        if response.statusCode == 304 {
            // It confirms what the request named, which is a stored response only if the 304 says so.
            if response.headers.contains("ETag") || response.headers.contains("Last-Modified") {
                for entry in Validation.confirmed(by: response.headers, of: lookup.entries, selected: selected) {
                    update(entry, with: response, of: request, requested)
                }
            }
            return response
        }
        if request.isHead {
            try? await updateAll(lookup.entries, with: response, of: request, requested)
            return response
        }
        if StatusRules.isServerError(response.statusCode), let selected,
            let stale = await staleResponse(from: selected, to: request)
        {
            return stale.received(response.headers)
        }
        return try await stored(response, of: request, since: lookup.mark, requested)
    }

    /// Sends a request with conditions. Returns the stored response if the server confirms it.
    private func validated(
        _ request: CacheRequest, _ conditional: NetworkCall, _ lookup: CacheLookup, _ selected: CacheEntry?
    ) async throws(NetworkError) -> NetworkResponse {
        let call = request.call
        let start = call.clock.now()
        var requested = call.clock.date()
        var sent = conditional
        request.addDirectives(to: &sent)
        var response = try await transport.exchange(sent)
        if response.statusCode == 304 {
            let confirmed = Validation.confirmed(by: response.headers, of: lookup.entries, selected: selected)
            let updated = confirmed.map { update($0, with: response, of: request, requested) }
            if let entry = updated.first, let stored = await self.response(from: entry, to: request, age: nil) {
                call.report(.cacheValidation, since: start, detail: "stored response confirmed")
                if entry.id != selected?.id { save(entry, stored.body, of: request, since: lookup.mark) }
                return stored.received(response.headers)
            }
            // The server confirmed something else, or the body was removed meanwhile.
            requested = call.clock.date()
            response = try await transport.exchange(request.forOtherCaches)
        }
        if StatusRules.isServerError(response.statusCode), let selected,
            let stale = await staleResponse(from: selected, to: request)
        {
            return stale.received(response.headers)
        }
        call.report(.cacheValidation, since: start, detail: "stored response replaced with \(response.statusCode)")
        return try await stored(response, of: request, since: lookup.mark, requested)
    }

    /// Sends a request that may change something, and removes the responses that it makes invalid (RFC 9111 section
    /// 4.4).
    private func change(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let url = NormalizedURL(call.url)
        cache.changeBegins(url)
        defer { cache.changeEnds(url) }
        let requested = call.clock.date()
        do throws(NetworkError) {
            let response = try await transport.exchange(call)
            guard response.statusCode < 400 else { return response }
            // If a removal fails, the entries are no longer used.
            try? await cache.remove(url)
            for name in ["Location", "Content-Location"] {
                for text in response.headers.values(for: name) {
                    guard let other = URL(string: text, relativeTo: call.url)?.absoluteURL,
                        URLOrigin(other) == call.origin
                    else { continue }
                    try? await cache.remove(other)
                }
            }
            return try await storedForGet(response, to: call, requested)
        } catch {
            if error.mayHaveReachedServer { try? await cache.remove(url) }
            throw error
        }
    }

    // MARK: - Storing

    /// Stores the response to a POST request for later GET requests, if it allows that. Doesn't if another change of
    /// the URL is in flight, since either may be the later one for the server.
    private func storedForGet(
        _ response: NetworkResponse, to call: NetworkCall, _ requested: Date
    ) async throws(NetworkError) -> NetworkResponse {
        guard Storing.allowsForGet(response, to: call), !cache.changesOverlap(NormalizedURL(call.url)) else {
            return response
        }
        var get = call
        get.method = .get
        get.body = nil
        guard let request = CacheRequest(get), let lookup = await cache.lookUp(request.key) else { return response }
        return try await stored(response, of: request, since: lookup.mark, requested)
    }

    /// Stores a response, if that is allowed: at once, or while its stream is read.
    private func stored(
        _ response: NetworkResponse, of request: CacheRequest, since mark: RemovalMark, _ requested: Date
    ) async throws(NetworkError) -> NetworkResponse {
        let call = request.call
        guard Storing.allows(response, to: call) else { return response }
        let received = call.clock.date()
        if call.delivery == .streamed, response.isSuccess, let stream = response.stream {
            return storing(response, stream, of: request, since: mark, requested, received)
        }
        let response = try await response.collected(for: call)
        save(response, of: request, since: mark, requested, received)
        return response
    }

    /// Returns a response whose stream is stored when its reader has reached the end.
    private func storing(
        _ response: NetworkResponse, _ stream: NetworkBytes, of request: CacheRequest, since mark: RemovalMark,
        _ requested: Date, _ received: Date
    ) -> NetworkResponse {
        let limit = cache.store.bodyLimit
        // Keeps the chunks rather than the stream, which ends when its reader releases it.
        let chunks = Mutex<Data?>(Data())
        var stored = response
        stored.body = Data()
        var response = response
        response.content = .stream(
            stream.observed(
                onChunk: { chunk in
                    chunks.withLock { data in
                        guard let length = data?.count else { return }
                        if length + chunk.count <= limit, cache.collect(chunk.count) {
                            data?.append(chunk)
                        } else {
                            data = nil
                            cache.discard(length)
                        }
                    }
                },
                onEnd: { [stored] error in
                    guard let body = chunks.withLock({ $0.take() }) else { return }
                    cache.discard(body.count)
                    if error != nil { return }
                    var whole = stored
                    whole.body = body
                    save(whole, of: request, since: mark, requested, received)
                }))
        return response
    }

    private func save(
        _ response: NetworkResponse, of request: CacheRequest, since mark: RemovalMark, _ requested: Date,
        _ received: Date
    ) {
        guard Storing.isComplete(response.body, of: response.headers), response.body.count <= cache.store.bodyLimit,
            let entry = Storing.entry(
                for: response, to: request, bodyLength: response.body.count, requested: requested, received: received)
        else { return }
        cache.store.save(entry, response.body, since: mark)
    }

    /// Stores a confirmed entry for a request that it didn't match before.
    private func save(_ entry: CacheEntry, _ body: Data, of request: CacheRequest, since mark: RemovalMark) {
        guard let selectors = Selector.all(of: entry.headers, in: request.call.headers) else { return }
        cache.store.save(
            CacheEntry(
                key: entry.key, statusCode: entry.statusCode, headers: entry.headers, requested: entry.requested,
                received: entry.received, bodyLength: body.count, selectors: selectors),
            body, since: mark)
    }

    /// Updates a stored entry with a 304, and returns it. Leaves the store alone if the response may not be stored.
    @discardableResult
    private func update(
        _ entry: CacheEntry, with response: NetworkResponse, of request: CacheRequest, _ requested: Date
    ) -> CacheEntry {
        let updated = Storing.updated(
            entry, with: response.headers, of: request, requested: requested, received: request.call.clock.date())
        if !CacheControl(response.headers["Cache-Control"]).has("no-store") { cache.store.update(updated) }
        return updated
    }

    /// Updates the entries that the response to a HEAD request describes, and removes them all if it describes another
    /// body (RFC 9111 section 4.3.5).
    private func updateAll(
        _ entries: [CacheEntry], with head: NetworkResponse, of request: CacheRequest, _ requested: Date
    ) async throws {
        guard head.statusCode == 200, let selected = request.selected(from: entries), selected.statusCode == 200 else {
            return
        }
        if Validation.describes(head.headers, selected) {
            update(selected, with: head, of: request, requested)
        } else {
            try await cache.remove(request.key.url)
        }
    }
}

/// What was found before an exchange, which the exchange doesn't look up, key and select again.
private final class FoundEntry: RequestOption {
    let cache: HTTPCache
    let request: CacheRequest
    let lookup: CacheLookup
    let selected: CacheEntry?

    init(_ cache: HTTPCache, _ request: CacheRequest, _ lookup: CacheLookup) {
        (self.cache, self.request, self.lookup) = (cache, request, lookup)
        selected = request.selected(from: lookup.entries)
    }

    /// Whether it was found for this call, in this cache.
    func isOf(_ call: NetworkCall, in cache: HTTPCache) -> Bool {
        self.cache === cache && request.call.method == call.method && request.call.url == call.url
            && request.call.headers == call.headers
    }

    static func == (one: FoundEntry, other: FoundEntry) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CacheRequest {
    /// The call with the directives that its policy has for other caches.
    fileprivate var forOtherCaches: NetworkCall {
        var call = call
        addDirectives(to: &call)
        return call
    }

    /// Adds the directives that the policy has for other caches, unless the request has some of its own.
    fileprivate func addDirectives(to call: inout NetworkCall) {
        if call.headers.contains("Cache-Control") { return }
        switch policy {
        case .reload: call.headers["Cache-Control"] = "no-cache"
        case .validate, .networkFirst: call.headers["Cache-Control"] = "max-age=0"
        case .standard, .cacheFirst, .cacheOnly, .never: break
        }
    }
}

extension NetworkResponse {
    /// Returns this stored response with the fields that were received in its exchange: only their cookies are kept.
    fileprivate func received(_ headers: HTTPHeaders) -> NetworkResponse {
        var response = self
        response.receivedHeaders = headers
        return response
    }
}

extension NetworkCall {
    /// Reports an event with a detail that is computed only if there are observers.
    fileprivate func report(_ kind: NetworkEvent.Kind, since start: Duration, detail: () -> String) {
        report(NetworkEvent(kind, start: start, duration: clock.now() - start, detail: detail()))
    }
}
