public import Foundation
public import RecordKit
import Synchronization

/// Stops sending requests to a server that keeps failing, so that calls fail at once and the server can recover.
///
/// ```swift
/// let breaker = CircuitBreaker()
/// let transport = breaker.transport(URLSessionTransport())
/// ```
///
/// The breaker is a transport around another one. It counts the exchanges with each origin. If the share of failures in
/// a window is too large, it opens: for a time, every exchange fails at once with `NetworkError.connection`, whose
/// cause ``OpenError`` says until when. `RetryInterceptor` doesn't repeat it. Then one exchange is tried. Its outcome
/// closes the breaker, or opens it again.
///
/// A failure is a connection that couldn't be established or was lost, a timeout, or a status of 500 or more. A
/// deadline counts like a timeout if the exchange had at least half of the call's time. So does a streamed body that
/// breaks off.
///
/// Place it inside a cache, so that stored responses remain available while the breaker is open:
/// `cache.transport(breaker.transport(transport))`.
public final class CircuitBreaker: Sendable {
    /// The cause of an error without an exchange: the breaker is open.
    public struct OpenError: LocalizedError, Sendable, Hashable {
        /// The date at which a request is sent again. In the past while one is being tried.
        public let until: Date

        /// What happened, and when a request is sent again.
        public var errorDescription: String? {
            "its latest requests failed, so the circuit breaker sends none before \(HTTPDate(until))"
        }
    }

    private struct Circuit {
        var windowEnd: Duration = .zero
        var exchanges = 0
        var failures = 0
        /// The time until which no exchange is sent. `nil` while the breaker is closed.
        var openUntil: Duration?
        var isTrying = false

        /// Returns whether the circuit says no more of its server than a new one.
        func isForgotten(at now: Duration, _ window: Duration) -> Bool {
            if isTrying { return false }
            return openUntil.map { now >= $0 + window } ?? (now >= windowEnd)
        }
    }

    /// What an exchange says of its server.
    private enum Outcome {
        case success, failure, unknown
    }

    private let failureRatio: Double
    private let minimumCalls: Int
    private let window: Duration
    private let openDuration: Duration
    private let circuits = Mutex(HostTable<Circuit>())

    /// Creates a breaker.
    ///
    /// - Parameters:
    ///   - failureRatio: The share of failures at which the breaker opens, between 0 and 1. Default: 0.5.
    ///   - minimumCalls: The number of exchanges in a window below which it stays closed. Default: 10.
    ///   - window: The time in which exchanges are counted. Default: 30 seconds.
    ///   - openDuration: The time for which the breaker stays open. Default: 30 seconds.
    public init(
        failureRatio: Double = 0.5, minimumCalls: Int = 10, window: Duration = .seconds(30),
        openDuration: Duration = .seconds(30)
    ) {
        self.failureRatio = failureRatio
        self.minimumCalls = max(minimumCalls, 1)
        self.window = window
        self.openDuration = openDuration
    }

    /// Returns a transport that sends requests with another one while the breaker is closed.
    ///
    /// - Parameter transport: The transport that sends requests.
    public func transport(_ transport: any NetworkTransport) -> any NetworkTransport {
        Transport(breaker: self, transport: transport)
    }

    /// The number of origins that the breaker keeps counts of.
    var originCount: Int { circuits.withLock { $0.count } }

    private struct Transport: NetworkTransport {
        let breaker: CircuitBreaker
        let transport: any NetworkTransport

        var traits: TransportTraits { transport.traits }

        func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
            let start = call.clock.now()
            let isTrial = try breaker.enter(call, at: start)
            do throws(NetworkError) {
                var response = try await transport.exchange(call)
                let isFailure = response.statusCode >= 500
                let windowEnd = breaker.leave(call, isTrial, isFailure ? .failure : .success)
                if !isFailure, let stream = response.stream {
                    let (origin, clock) = (call.origin, call.clock)
                    response.content = .stream(
                        stream.observed(onChunk: { _ in }) { [breaker] error in
                            guard let error, error.isTransient else { return }
                            breaker.bodyBrokeOff(origin, countedUntil: windowEnd, at: clock.now())
                        })
                }
                return response
            } catch {
                // The timeout and the deadline cancel the exchange, as the caller may, too.
                let time = call.clock.now() - start
                let isTooLate =
                    call.hasTimedOut
                    || call.timeLeft == .zero && time >= (call.options.deadline ?? .zero) / 2
                breaker.leave(call, isTrial, error.isTransient || error.isCancelled && isTooLate ? .failure : .unknown)
                throw error
            }
        }
    }

    /// Begins an exchange. Returns whether it is the trial of an open breaker.
    private func enter(_ call: NetworkCall, at now: Duration) throws(NetworkError) -> Bool {
        let (isTrial, wait) = change(call.origin, at: now) { circuit -> (Bool, Duration?) in
            guard let end = circuit.openUntil else { return (false, nil) }
            if now < end { return (false, end - now) }
            if circuit.isTrying { return (false, .zero) }
            circuit.isTrying = true
            return (true, nil)
        }
        guard let wait else { return isTrial }
        let open = OpenError(until: call.clock.date().addingTimeInterval((wait / .seconds(1)).rounded(.up)))
        throw .connection(
            NetworkError.ConnectionFailure(
                kind: .unknown, host: call.origin.hostAndPort, mayHaveReachedServer: false, cause: open))
    }

    /// Ends an exchange. Returns the end of the window that it was counted in.
    @discardableResult
    private func leave(_ call: NetworkCall, _ isTrial: Bool, _ outcome: Outcome) -> Duration {
        let now = call.clock.now()
        return change(call.origin, at: now) { circuit in
            if isTrial { circuit.isTrying = false }
            switch outcome {
            case .unknown: break
            case .success where isTrial: circuit = Circuit()
            case .failure where isTrial: circuit.openUntil = now + openDuration
            // An exchange that began before the breaker opened says nothing new.
            case .success, .failure:
                if circuit.openUntil == nil { count(outcome == .failure, in: &circuit, at: now) }
            }
            return circuit.windowEnd
        }
    }

    /// Counts the body of a response as a failure. Its head may have been counted as a success in the same window.
    private func bodyBrokeOff(_ origin: URLOrigin, countedUntil windowEnd: Duration, at now: Duration) {
        change(origin, at: now) { circuit in
            if circuit.openUntil != nil { return }
            if circuit.windowEnd == windowEnd, circuit.exchanges > 0 { circuit.exchanges -= 1 }
            count(true, in: &circuit, at: now)
        }
    }

    private func count(_ isFailure: Bool, in circuit: inout Circuit, at now: Duration) {
        if now >= circuit.windowEnd { circuit = Circuit(windowEnd: now + window) }
        circuit.exchanges += 1
        if isFailure { circuit.failures += 1 }
        guard circuit.exchanges >= minimumCalls, Double(circuit.failures) >= failureRatio * Double(circuit.exchanges)
        else {
            return
        }
        circuit.openUntil = now + openDuration
    }

    private func change<Result: Sendable>(
        _ origin: URLOrigin, at now: Duration, _ change: @Sendable (inout Circuit) -> Result
    ) -> Result {
        circuits.withLock {
            $0.withValue(of: origin, default: Circuit(), { $0.isForgotten(at: now, window) }, change)
        }
    }
}
