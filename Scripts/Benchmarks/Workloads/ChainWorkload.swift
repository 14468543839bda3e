import Foundation
import RecordKit
import RecordKitInterceptors

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Workload {
    /// The cost of interceptors, in addition to ``stub``.
    static let chain = Workload(
        name: "chain", title: "the same through interceptors", count: 5_000, quickCount: 20, instructionCount: 2_000
    ) {
        [
            ("none", []),
            ("1", [PassOn()]),
            ("5", [PassOn](repeating: PassOn(), count: 5)),
            ("Retry", [RetryInterceptor()]),
            ("Authorization", [authorization]),
            ("SingleFlight", [SingleFlightInterceptor()]),
            ("RateLimit", [rateLimit]),
            ("Identity", [TracingInterceptor()]),
            ("Logging", [LoggingInterceptor(to: Nowhere())]),
            (
                "all",
                [
                    RetryInterceptor(), authorization, SingleFlightInterceptor(), rateLimit, TracingInterceptor(),
                    LoggingInterceptor(to: Nowhere()),
                ]
            ),
        ].map { (name: String, interceptors: [any NetworkInterceptor]) in
            let transport = URLSessionTransport(.ours(protocols: [StubProtocol.self]))
            let client = RecordKitClient(StubProtocol.url, transport, interceptors: interceptors)
            return Client(name, isReference: interceptors.isEmpty) { _ = try await client.fetch() }
        }
    }

    private static var authorization: AuthorizationInterceptor {
        AuthorizationInterceptor(.bearer("0123456789abcdef"), for: .origin("http://store.example"))
    }

    /// A limit that no call reaches.
    private static var rateLimit: RateLimitInterceptor {
        RateLimitInterceptor(1_000_000, per: .seconds(1))
    }
}

/// Discards the lines that are written, so that no time of the disk is measured.
private struct Nowhere: NetworkLog {
    func write(_ message: String, at level: LogLevel) {}
}

/// The smallest interceptor.
private struct PassOn: NetworkInterceptor {
    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        try await next(call)
    }
}
