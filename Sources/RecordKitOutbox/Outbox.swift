public import Foundation
public import RecordKit

/// A durable queue of requests. If the device is offline or the process ends, they are sent later.
///
/// ```swift
/// let outbox = try Outbox(
///     file: folder.appending(path: "sales.sqlite"), client: network,
///     kinds: [
///         OutboxKind("sale", PostSale.self) { reply in
///             try await book.settle(reply.entry.key, reply.result)
///         }
///     ])
/// Task { await outbox.run() }
///
/// try await outbox.add(PostSale(sku: "LP-0042", copies: 1))
/// ```
///
/// **A request arrives at least once.** It arrives once if the server honors `Idempotency-Key`, for as long as the
/// server remembers the key. Each attempt has the same key and the same bytes as body. A request whose
/// `RequestOptions.retry` is `.never` arrives at most once.
///
/// When ``add(_:lane:key:expiry:)`` returns, the request is on the disk. It is removed when the handler of its kind has
/// returned. The call itself isn't stored: each attempt has the header fields and the credentials of its own time.
///
/// Several outboxes, in one process or in several, may use a file. One of them sends at a time. An outbox sends the
/// kinds that it has, and leaves the others alone.
///
/// An outbox is for one server, since a pause is for all requests.
public actor Outbox {
    /// The file.
    public nonisolated let file: URL
    nonisolated let client: any NetworkClient
    nonisolated let limits: OutboxLimits
    nonisolated let clock: NetworkClock
    nonisolated let store: QueueStore
    nonisolated let kinds: [OutboxKind]
    /// The names of the kinds, with former ones.
    nonisolated let kindNames: Set<String>
    nonisolated let lock: FileLock

    /// The account whose entries are sent, or an empty string.
    private var account: String
    var pacing: Pacing
    /// The entries that are being sent or handled.
    var flights: [Int64: Flight] = [:]
    /// Whether a task sends what is due.
    var isPassing = false
    var isRunning = false
    /// Whether an entry was removed since space was given back.
    var hasRemoved = false
    /// Whether this outbox has sent before. The first time, it cleans up.
    var hasBegun = false
    /// The results that couldn't be stored yet, such as on a full disk. Their requests aren't sent again.
    var received: [Int64: ReceivedResult] = [:]
    /// The heads that are being compared with those behind them.
    var trials: [Int64: Trial] = [:]
    /// The entries whose handler has returned, and that couldn't be removed yet.
    var handled: Set<Int64> = []
    /// The number of changes so far, and what waits for the next one.
    var changeCount = 0
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// Creates an outbox. The file is opened, or created, at the first use.
    ///
    /// - Parameters:
    ///   - file: The file, in a folder of the app's own data. It is created with its folder, for its owner alone.
    ///     Others beside it begin with its name. On Apple's platforms, they are left out of device backups.
    ///   - client: The client that sends the requests, usually a session. An outbox repeats calls itself: a
    ///     `RetryInterceptor` of the session doesn't repeat them.
    ///   - kinds: The types of requests, with their handlers.
    ///   - account: The account whose entries are sent, such as the identifier of a user. It is stored, so it must not
    ///     be a secret. An empty string is the same as `nil`. Default: `nil`, none.
    ///   - limits: The limits of the queue.
    ///   - clock: The clock of waits and dates.
    ///   - random: Returns numbers from 0 up to but not including 1, for waits.
    ///   - onDamage: Called on a queue of the outbox after a damaged file was rescued. What could be read is in the
    ///     file again.
    /// - Throws: ``OutboxError`` if two kinds have the same name, former names included, or the same type.
    public init(
        file: URL, client: any NetworkClient, kinds: [OutboxKind], account: String? = nil,
        limits: OutboxLimits = OutboxLimits(), clock: NetworkClock = .continuous,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        onDamage: @escaping @Sendable (OutboxDamage) -> Void = { _ in }
    ) throws(OutboxError) {
        var names: Set<String> = []
        var types: Set<ObjectIdentifier> = []
        for kind in kinds {
            for name in kind.names where !names.insert(name).inserted {
                throw OutboxError(.duplicateKind, "Two kinds have the name \"\(name)\". Give each its own.")
            }
            if !types.insert(kind.type).inserted {
                throw OutboxError(
                    .duplicateKind, "The type of kind \"\(kind.name)\" is in another kind. Use a type for each.")
            }
        }
        self.file = file
        self.client = client
        self.kinds = kinds
        kindNames = names
        self.account = account ?? ""
        self.limits = limits
        self.clock = clock
        pacing = Pacing(longestBackoff: limits.longestBackoff, random: random)
        store = QueueStore(file, onDamage: onDamage)
        lock = FileLock(store.lockPath)
    }
}

// Adding.
extension Outbox {
    /// Adds a request. When this returns, it is on the disk, and a running outbox sends it.
    ///
    /// - Parameters:
    ///   - request: The request. Its type belongs to one of the kinds. Its attachments are copied.
    ///   - lane: The lane. Requests of a lane are sent in the order in which they were added, each after the handler of
    ///     the one before has returned. Independent requests, and large uploads, get a lane of their own. Default: one
    ///     lane for all.
    ///   - key: The key that is sent as `Idempotency-Key` if the method isn't idempotent. Adding a request of the same
    ///     account and kind with the same key returns the entry that is there, so an app may store the key with its own
    ///     data, and add again what isn't settled. The first request counts. It must be valid as a header field.
    ///     Default: a UUID.
    ///   - expiry: The date after which the request isn't sent; its handler then gets a `timedOut` error. It depends on
    ///     the clock of the device. Default: never.
    /// - Returns: The entry.
    /// - Throws: ``OutboxError``. Nothing was added then.
    @discardableResult
    public func add<Request: NetworkRequest & Codable>(
        _ request: Request, lane: String = "", key: String? = nil, expiry: Date? = nil
    ) async throws(OutboxError) -> OutboxEntry {
        let kind = try kind(of: Request.self)
        let (account, limits) = (account, limits)
        try Self.check(key, expiry)
        // Its attachments aren't copied again.
        if let key, let earlier = try await store.perform({ try $0.row(withKey: key, of: account) }) {
            return try entry(earlier, of: kind)
        }
        let name = UUID().uuidString
        let folder = store.folder(name, limit: limits.bytes)
        do {
            let (data, body) = try await encoded(request, in: folder)
            let row = EntryRow(
                key: key ?? UUID().uuidString, kind: kind.name, lane: lane, account: account, added: clock.date(),
                expiry: expiry, folder: name, size: data.count + body.count + folder.bytes, request: data, body: body)
            let added = try await store.perform { try $0.add(row, limits: limits) }
            if added.folder != name { folder.remove() }
            changed()
            return try entry(added, of: kind)
        } catch {
            folder.remove()
            throw error
        }
    }

    private static func check(_ key: String?, _ expiry: Date?) throws(OutboxError) {
        if let key, key.isEmpty || !HTTPHeaders.isValid(value: key) || key != key.trimmingCharacters(in: .whitespaces) {
            throw OutboxError(
                .notEncodable,
                "The key isn't valid as a header field. Use printable characters, without spaces at the ends.")
        }
        if expiry?.timeIntervalSince1970.isFinite == false {
            throw OutboxError(.notEncodable, "The expiry isn't a date. Use `nil` for a request that never expires.")
        }
    }

    /// Returns an entry under the key of a request that is added, if the key may be used for it.
    private func entry(_ row: EntryRow, of kind: OutboxKind) throws(OutboxError) -> OutboxEntry {
        if !kind.names.contains(row.kind) {
            throw OutboxError(
                .keyTaken, "The key belongs to a request of the kind \"\(row.kind)\". Use another key for each request."
            )
        }
        if row.id == handledEntry {
            throw OutboxError(
                .keyTaken,
                "The key belongs to the request that is being handled, which is removed then. Use another one.")
        }
        return row.entry
    }

    /// Encodes a request and its body, and checks that it can be sent later.
    private nonisolated func encoded<Request: NetworkRequest & Codable>(
        _ request: Request, in folder: EntryFolder
    ) async throws(OutboxError) -> (request: Data, body: Data) {
        let (data, read) = try await store.copying {
            do {
                let data = try RequestCoding.data(request, in: folder)
                return (data, try RequestCoding.request(Request.self, from: data, in: folder))
            } catch {
                throw Self.failure(error, Request.self)
            }
        }
        do {
            return (data, try Sealed.encode(try await StoredBody(read, in: folder, by: client)))
        } catch {
            throw Self.failure(error, Request.self)
        }
    }

    private static func failure<Request>(_ error: any Error, _ type: Request.Type) -> OutboxError {
        switch error {
        case let error as OutboxError: error
        case let failure as NetworkError.FileFailure where failure.reason == .noSpace:
            OutboxError(.noSpace, "An attachment can't be copied: the disk is full. Free some space.")
        case let failure as NetworkError.FileFailure:
            OutboxError(
                .notEncodable,
                "The attachment \(failure.fileName) can't be copied: its URL names no file that can be read.")
        default: OutboxError(.notEncodable, "\(type) can't be stored: \(error.localizedDescription)")
        }
    }

    private nonisolated func kind<Request>(of type: Request.Type) throws(OutboxError) -> OutboxKind {
        guard let kind = kinds.first(where: { $0.type == ObjectIdentifier(type) }) else {
            throw OutboxError(.unknownKind, "\(type) belongs to no kind of the outbox. Add an OutboxKind for it.")
        }
        return kind
    }
}

// Reading and removing.
extension Outbox {
    /// Returns entries of all accounts in the order of their identifiers, for a maintainer's screen.
    ///
    /// What an app shows its user is ``pending(_:)``, which has the entries of the current account.
    ///
    /// - Parameters:
    ///   - id: The identifier after which to begin. Default: 0, the beginning.
    ///   - limit: The maximum number of entries. Default: 100.
    public nonisolated func entries(
        after id: Int64 = 0, limit: Int = 100
    ) async throws(OutboxError) -> [OutboxEntry] {
        let known = kindNames
        return try await store.perform { try $0.rows(after: id, limit: limit).map { $0.entry(known: known) } }
    }

    /// Returns the requests of a type that haven't been handled, for the current account, in the order in which they
    /// were added. Those that are set aside are among them: see ``OutboxEntry/state``.
    ///
    /// Leaves out what can't be read. Read the list in pages with ``entries(after:limit:)`` if it is long.
    ///
    /// - Parameter type: The type of the requests.
    public func pending<Request: NetworkRequest & Codable>(
        _ type: Request.Type
    ) async throws(OutboxError) -> [(entry: OutboxEntry, request: Request)] {
        let kind = try kind(of: type)
        let (accounts, store) = (accounts, store)
        return try await store.perform { file in
            try file.rows(ofKinds: kind.names, accounts).compactMap { row in
                let folder = store.folder(row.folder)
                guard let data = row.request,
                    let request = try? RequestCoding.request(type, from: data, in: folder)
                else { return nil }
                return (row.entry, request)
            }
        }
    }

    /// Removes an entry. Its call is cancelled if it is in flight, and its handler isn't called anymore.
    ///
    /// The server may have received it: see ``OutboxEntry/mayHaveReachedServer``.
    ///
    /// - Parameter id: The identifier of the entry.
    /// - Returns: Whether it was there.
    @discardableResult
    public func remove(_ id: Int64) async throws(OutboxError) -> Bool {
        // After this, no call of it begins.
        let folder = try await store.perform { try $0.remove(id) }
        await cancelCalls { $0.key == id }
        if let folder { store.folder(folder).remove() }
        forget(id)
        return folder != nil
    }

    /// Removes the entries of all accounts. Their calls are cancelled if they are in flight.
    ///
    /// - Returns: The number of entries.
    @discardableResult
    public func removeAll() async throws(OutboxError) -> Int { try await removeAll(of: nil) }

    /// Removes all entries of an account, such as after a sign-out. Their calls are cancelled if they are in flight.
    ///
    /// - Parameter account: The account, or an empty string for entries that were added without one.
    /// - Returns: The number of entries.
    @discardableResult
    public func removeAll(account: String) async throws(OutboxError) -> Int { try await removeAll(of: account) }

    private func removeAll(of account: String?) async throws(OutboxError) -> Int {
        let folders = try await store.perform { try $0.removeAll(of: account) }
        await cancelCalls { account == nil || $0.value.account == account }
        for folder in folders { store.folder(folder).remove() }
        hasRemoved = true
        changed()
        return folders.count
    }

    /// Lets an entry be tried again that is set aside. Sends the same bytes.
    ///
    /// - Parameter id: The identifier of the entry.
    public func retry(_ id: Int64) async throws(OutboxError) {
        try await store.perform { try $0.revive(id) }
        changed()
    }

    /// Lets all entries be tried again that are set aside.
    public func retryAll() async throws(OutboxError) {
        try await store.perform { try $0.revive(nil) }
        changed()
    }

    /// Removes what this outbox has noted of an entry that is gone.
    func forget(_ id: Int64) {
        handled.remove(id)
        (received[id], trials[id]) = (nil, nil)
        pacing.forget(id)
        changed()
    }
}

// Accounts and pauses.
extension Outbox {
    /// Tries everything again now: a pause ends, and so do the waits of entries. Call it when the app comes to the
    /// foreground, after a sign-in, or after another process has added requests.
    ///
    /// A wait that the server has asked for, in `Retry-After`, isn't shortened.
    public func wake() {
        pacing.wake(now: clock.now())
        changed()
    }

    /// Uses another account: only its entries are sent, and those that were added without an account.
    ///
    /// Cancels the calls in flight, and returns when there are none. So call it with `nil` before a sign-out: a call
    /// that is repeated later would be signed with the token of the next user. The entries of the former account stay,
    /// and are sent when it is used again. A handler that has begun goes on.
    ///
    /// With the current account, the same as ``wake()``.
    ///
    /// - Parameter account: The account. `nil` and an empty string mean none.
    public func use(account: String?) async {
        if self.account != account ?? "" {
            self.account = account ?? ""
            await cancelCalls { _ in true }
        }
        wake()
    }

    /// The accounts whose entries are sent and shown now.
    var accounts: Set<String> { ["", account] }

    /// Tries again, since the network of the device has changed.
    func networkChanged() {
        pacing.networkChanged(now: clock.now())
        changed()
    }

    /// Cancels calls, and returns when they have ended. Handlers go on, since one of them may be the caller.
    private func cancelCalls(where isMeant: ((key: Int64, value: Flight)) -> Bool) async {
        let calls = flights.filter(isMeant).values.map(\.call)
        for call in calls { call.cancel() }
        for call in calls { _ = await call.result }
    }
}
