import Foundation
public import RecordKit

#if canImport(Network)
import Network
#endif

/// How a call without a connection learns that there may be one again.
public struct ConnectionWait: Sendable {
    let wait: @Sendable (NetworkCall) async throws(NetworkError) -> Void

    /// - Parameter wait: returns when the call may be worth another attempt; it waits with `NetworkCall.sleep(for:)`,
    ///   or otherwise ends soon after its task is cancelled.
    public init(_ wait: @escaping @Sendable (NetworkCall) async throws(NetworkError) -> Void) {
        self.wait = wait
    }

    /// What suits the system: on Apple's until there is a network, which says nothing of the host, so that one that
    /// refuses is soon asked for the last time; elsewhere ``probing(from:to:)``.
    public static var automatic: ConnectionWait {
        #if canImport(Network)
        ConnectionWait { (_) async throws(NetworkError) in
            for await path in NWPathMonitor() where path.status == .satisfied { return }
            throw .cancelled
        }
        #else
        probing()
        #endif
    }

    /// Until the host of the call takes a connection, which is then closed: tried again and again, at first after
    /// `shortest`, then after twice as long each time up to `longest`. All calls that wait for a host share the tries.
    ///
    /// Not for calls that travel through a proxy: the host itself is tried.
    public static func probing(
        from shortest: Duration = .milliseconds(250), to longest: Duration = .seconds(15)
    ) -> ConnectionWait {
        probing(from: shortest, to: longest) { await ConnectProbe.isOpen($0, port: $1) }
    }

    static func probing(
        from shortest: Duration, to longest: Duration,
        isOpen: @escaping @Sendable (_ host: String, _ port: Int) async -> Bool
    ) -> ConnectionWait {
        let flights = Flights<String, Void>()
        return ConnectionWait { (call) async throws(NetworkError) in
            let host = call.url.host(percentEncoded: false) ?? ""
            let port = call.url.port ?? (call.url.scheme?.lowercased() == "http" ? 80 : 443)
            try await flights.value(of: call.origin.hostAndPort, endsWithLast: true) {
                let longest = max(longest.limited, .milliseconds(1))
                var pause = min(max(shortest, .milliseconds(1)), longest)
                while !Task.isCancelled {
                    if await isOpen(host, port) { return .success(()) }
                    // The clock's own sleep: the deadline is each caller's, and the tries are everybody's.
                    do { try await call.clock.sleep(pause) } catch { break }
                    pause = min(pause * 2, longest)
                }
                return .failure(.cancelled)
            }
        }
    }
}
