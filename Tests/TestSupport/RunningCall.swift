public import Foundation
public import RecordKit
import RecordKitCurl
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A call in flight, which can be run in several ways and cancelled by a test.
public final class RunningCall: Sendable {
    public enum Way: CaseIterable, Sendable {
        case valueByTask, valueByManager, dataTaskByHandle, dataTaskByManager
        /// Over libcurl, in place of URLSession.
        case curlByTask, curlByManager

        private var usesCurl: Bool { self == .curlByTask || self == .curlByManager }

        /// A way to run another call over the same transport.
        public var other: Way { usesCurl ? .curlByTask : .dataTaskByHandle }

        /// Returns a configuration for a server, with the transport of this way.
        public func configuration(_ url: URL, exchangesPerHost: Int = 6) -> NetworkConfiguration {
            var options = CurlTransport.Options()
            options.exchangesPerHost = exchangesPerHost
            var configuration = NetworkConfiguration(url)
            configuration.transport =
                usesCurl ? CurlTransport(options) : URLSessionTransport(exchangesPerHost: exchangesPerHost)
            return configuration
        }
    }

    public typealias Outcome = Result<NetworkResponse, NetworkError>

    private struct State {
        var outcomes: [Outcome] = []
        var waiting: CheckedContinuation<Outcome, Never>?
    }

    private let state = Mutex(State())
    private let hand = Mutex<(@Sendable () -> Void)?>(nil)

    public init(_ way: Way, _ manager: NetworkManager<Ask<NetworkResponse>>, _ request: Ask<NetworkResponse> = Ask()) {
        switch way {
        case .valueByTask, .valueByManager, .curlByTask, .curlByManager:
            let task = Task {
                do throws(NetworkError) {
                    end(.success(try await manager.value(for: request)))
                } catch {
                    end(.failure(error))
                }
            }
            hand.withLock { $0 = { way == .valueByTask || way == .curlByTask ? task.cancel() : manager.cancelAll() } }
        case .dataTaskByHandle, .dataTaskByManager:
            let task = manager.dataTask(for: request) { self.end($0) }
            hand.withLock { $0 = { way == .dataTaskByHandle ? task?.cancel() : manager.cancelAll() } }
        }
    }

    public func cancel() { hand.withLock { $0 }?() }

    /// The number of outcomes, which must be one.
    public var count: Int { state.withLock(\.outcomes.count) }

    /// The first outcome.
    public var outcome: Outcome {
        get async {
            await withCheckedContinuation { continuation in
                let first = state.withLock { state in
                    if state.outcomes.isEmpty { state.waiting = continuation }
                    return state.outcomes.first
                }
                if let first { continuation.resume(returning: first) }
            }
        }
    }

    /// A short description of the outcome: `200 x`, `cancelled` …
    public var text: String {
        get async { HostileBehavior.text(of: await outcome) }
    }

    private func end(_ outcome: Outcome) {
        let waiting = state.withLock { state in
            state.outcomes.append(outcome)
            return state.waiting.take()
        }
        waiting?.resume(returning: outcome)
    }
}
