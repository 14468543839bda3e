import Foundation
import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Workload {
    /// The delay of a deadline's error, with a server that never responds.
    static let deadline = Workload(
        name: "deadline", title: "how late a deadline of 100 ms comes", count: 20, quickCount: 1
    ) {
        let network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment(StubProtocol.url.absoluteString),
                transport: URLSessionTransport(.ours(protocols: [SilentProtocol.self])),
                options: RequestOptions(deadline: .milliseconds(100))))
        return [
            Client("Task.sleep", isReference: true) { count in
                try await lateness(count) { try await Task.sleep(for: .milliseconds(100), tolerance: .zero) }
            },
            Client("RecordKit") { count in
                try await lateness(count) {
                    do throws(NetworkError) {
                        _ = try await network.value(for: ListingService.One.fetch(sku: "LP-0042"))
                    } catch {
                        if case .timedOut = error { return }
                        throw error
                    }
                }
            },
        ]
    }

    /// Returns the mean delay, in microseconds.
    private static func lateness(_ count: Int, _ wait: () async throws -> Void) async throws -> Double {
        var total = Duration.zero
        for _ in 0..<count {
            let start = ContinuousClock.now
            try await wait()
            total += ContinuousClock.now - start - .milliseconds(100)
        }
        return total.microseconds / Double(count)
    }
}

/// A protocol that never responds.
private final class SilentProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {}
    override func stopLoading() {}
}
