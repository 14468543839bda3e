public import RecordKit

/// Adds identifiers to calls, so that they can be found in a server's logs: a request identifier, and a trace.
///
/// The request identifier and the trace are the same for each attempt of a call. Each attempt is a separate span.
/// Place it after ``RetryInterceptor`` and ``AuthorizationInterceptor``, which make the attempts.
public struct TracingInterceptor: NetworkInterceptor {
    /// The name of the header field with the request identifier; `nil` sends none.
    private let header: String?
    private let requestID: (@Sendable (NetworkCall) -> String)?
    private let tracing: Tracing
    private let vendor: String?
    private let random: @Sendable () -> UInt64

    /// Whether calls belong to a trace (W3C Trace Context).
    @nonexhaustive
    public enum Tracing: Sendable, Hashable {
        /// No `traceparent` is added. A request that has one keeps it.
        case off
        /// Continues the trace in the request's header, or ``TraceContext/current``, if any.
        case continued
        /// Continues a trace like `continued`, or begins a new one. `isSampled` says whether the new trace is recorded.
        case begun(isSampled: Bool)
    }

    /// Creates an interceptor that adds identifiers.
    ///
    /// - Parameters:
    ///   - header: The name of the header field for the request identifier, or `nil` to send none. A request that has
    ///     the field keeps its own. Default: `X-Request-ID`.
    ///   - requestID: Returns the request identifier, once for each call. Default: 128 random bits in hexadecimal.
    ///   - tracing: Whether calls belong to a trace. Default: `.off`.
    ///   - vendor: The key of the app's tracing system in `tracestate`. Its value is the span identifier. Default:
    ///     `nil`, `tracestate` is propagated unchanged.
    ///   - random: Returns random numbers for identifiers.
    public init(
        header: String? = "X-Request-ID",
        requestID: (@Sendable (NetworkCall) -> String)? = nil, tracing: Tracing = .off, vendor: String? = nil,
        random: @escaping @Sendable () -> UInt64 = { .random(in: 0 ... .max) }
    ) {
        self.header = header
        self.requestID = requestID
        self.tracing = tracing
        self.vendor = vendor
        self.random = random
    }

    /// Adds the identifiers, and sends the call.
    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        var call = call
        addRequestID(to: &call)
        if tracing != .off { try addTrace(to: &call) }
        return try await next(call)
    }

    private func addRequestID(to call: inout NetworkCall) {
        guard let header, !call.headers.contains(header) else { return }
        let id = call.shared(RequestID.self) { requestID?(call) ?? random().hexadecimal + random().hexadecimal }
        call.headers.add(header, id)
    }

    private func addTrace(to call: inout NetworkCall) throws(NetworkError) {
        let own = call.headers["traceparent"].flatMap {
            TraceContext(traceparent: $0, tracestate: call.headers["tracestate"])
        }
        let spanID = nonzero().hexadecimal
        var context: TraceContext
        if let parent = own ?? TraceContext.current {
            context = TraceContext(
                traceID: parent.traceID, spanID: spanID, isSampled: parent.isSampled, isRandom: parent.isRandom,
                tracestate: parent.tracestate)
        } else {
            guard case .begun(let isSampled) = tracing else { return }
            let traceID = call.shared(TraceID.self) { nonzero().hexadecimal + random().hexadecimal }
            context = TraceContext(
                traceID: traceID, spanID: spanID, isSampled: isSampled, isRandom: true, tracestate: nil)
        }
        if let vendor {
            guard TraceContext.isKey(vendor) else {
                throw .interceptor(
                    NetworkError.InterceptorFailure(
                        interceptor: "TracingInterceptor",
                        reason: "the vendor \"\(vendor)\" isn't a key for tracestate; use a-z, 0-9 and _-*/@",
                        mayHaveReachedServer: false))
            }
            context = context.adding(vendor)
        }
        call.headers["traceparent"] = context.traceparent
        call.headers["tracestate"] = context.tracestate
    }

    private enum RequestID: CallKey {
        typealias Value = String
    }

    private enum TraceID: CallKey {
        typealias Value = String
    }

    /// Returns a random number other than zero. An identifier of zeros is invalid.
    private func nonzero() -> UInt64 {
        max(random(), 1)
    }
}
