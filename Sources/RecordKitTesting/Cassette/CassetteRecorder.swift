import Foundation
import RecordKit
import Synchronization

/// Sends calls through a transport, and records them in a file.
final class CassetteRecorder: ResponseStore {
    private let file: URL
    private let transport: any NetworkTransport
    private let redaction: Redaction
    private let state: Mutex<State>

    private struct State {
        /// The entries in the order in which the calls were sent; `nil` while a call is in progress.
        var entries: [HTTPArchive.Entry?] = []
        /// The method and the redacted URL of each call.
        var requests: [String] = []
        /// The content of the file after the last write.
        var written: Data
        var failure: CassetteError?
    }

    init(_ file: URL, through transport: any NetworkTransport, _ redaction: Redaction) throws(CassetteError) {
        self.file = file
        self.transport = transport
        self.redaction = redaction
        state = Mutex(State(written: try Self.write([], to: file)))
    }

    /// The traits of a recorded transport. A stored response is recorded like that of a call.
    var traits: TransportTraits {
        let inner = transport.traits
        return TransportTraits(slots: inner.slots, store: inner.store == nil ? nil : self)
    }

    func response(
        for call: inout NetworkCall, after error: NetworkError?
    ) async throws(NetworkError) -> StoredResponse? {
        guard let stored = try await transport.traits.store?.response(for: &call, after: error) else { return nil }
        // A failed exchange has been recorded by then, and stays so.
        if error == nil { _ = try await record(call) { _ in stored.response } }
        return stored
    }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        try await record(call) { call throws(NetworkError) in try await self.transport.exchange(call) }
    }

    private func record(
        _ call: NetworkCall, _ exchange: (NetworkCall) async throws(NetworkError) -> NetworkResponse
    ) async throws(NetworkError) -> NetworkResponse {
        var call = call
        // Only complete bodies can be recorded.
        call.delivery = .buffered
        call.body = try await call.body?.spooled()
        let body = try await call.body?.data() ?? Data()
        let redaction = redaction.adding(call.headers.sensitiveNames)
        let index = state.withLock { state in
            state.entries.append(nil)
            state.requests.append("\(call.method) \(redaction.url(call.url))")
            return state.entries.count - 1
        }
        let (date, start) = (call.clock.date(), call.clock.now())
        let add = { @Sendable [call] (outcome: Result<NetworkResponse, NetworkError>) throws(CassetteError) in
            let entry = HTTPArchive.Entry(
                call, body: body, outcome, start: date, duration: call.clock.now() - start, redaction)
            try self.add(entry, at: index)
        }
        // The caller gets the error of a call that is cancelled as soon as the handler has returned, and may replay the
        // recording before the exchange ends.
        let outcome = await withTaskCancellationHandler {
            do throws(NetworkError) {
                return Result<NetworkResponse, NetworkError>.success(try await exchange(call).collected(for: call))
            } catch {
                return .failure(Self.reason(for: error, of: call))
            }
        } onCancel: { [call] in
            // `verify()` reports a failure.
            try? add(.failure(Self.reason(for: .cancelled, of: call)))
        }
        do throws(CassetteError) {
            try add(outcome)
        } catch {
            throw .unexpected(error, by: "Cassette")
        }
        return try outcome.get()
    }

    /// Returns the error to record. A timeout or a deadline cancels the exchange, and the recording distinguishes both
    /// from a cancellation by the caller.
    private static func reason(for error: NetworkError, of call: NetworkCall) -> NetworkError {
        func timedOut(_ limit: NetworkError.Timeout.Limit, _ after: Duration) -> NetworkError {
            .timedOut(NetworkError.Timeout(limit: limit, after: after, host: call.origin.hostAndPort))
        }
        if !error.isCancelled { return error }
        if call.timeLeft == .zero { return timedOut(.deadline, call.options.deadline ?? .zero) }
        return call.hasTimedOut ? timedOut(.attempt, call.timeout) : error
    }

    /// Checks that every call has ended, and that everything was written.
    ///
    /// - Throws: The error that occurred when writing, or one that names the calls that are in progress.
    func verify() throws(CassetteError) {
        let (failure, written, pending) = state.withLock { state in
            (state.failure, state.written, zip(state.entries, state.requests).filter { $0.0 == nil }.map(\.1))
        }
        if let failure { throw failure }
        try check(written)
        if !pending.isEmpty { throw .pending(file: file.path, requests: pending) }
    }

    /// Checks that nothing else wrote the file. Two cassettes with one file would overwrite each other's entries.
    private func check(_ written: Data) throws(CassetteError) {
        guard (try? Data(contentsOf: file)) != written else { return }
        let advice = "Give each test, and each of its arguments, a file of its own."
        throw .unwritable(file: file.path, reason: "Something else has changed it since. \(advice)")
    }

    private func add(_ entry: HTTPArchive.Entry, at index: Int) throws(CassetteError) {
        // The lock is held while writing, so that an older state is never written last.
        let result = state.withLock { state -> Result<Void, CassetteError> in
            // The caller has seen the first outcome.
            if state.entries[index] != nil { return .success(()) }
            state.entries[index] = entry
            do throws(CassetteError) {
                try check(state.written)
                state.written = try Self.write(state.entries.compactMap(\.self), to: file)
                return .success(())
            } catch {
                state.failure = error
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Writes the entries. Returns the content of the file.
    private static func write(_ entries: [HTTPArchive.Entry], to file: URL) throws(CassetteError) -> Data {
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            let text = try HTTPArchive(log: HTTPArchive.Log(entries: entries)).text()
            try text.write(to: file, options: .atomic)
            return text
        } catch {
            throw .unwritable(file: file.path, reason: error.localizedDescription)
        }
    }
}
