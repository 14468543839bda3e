public import RecordKit

/// Names calls, so that they can be found in a server's logs: with a request id, and with a trace.
///
/// The request id is the same on each attempt of a call. So is the trace; each attempt is a span of its own in it. Put
/// it behind ``RetryInterceptor`` and ``AuthorizationInterceptor``, which make the attempts.
public struct TracingInterceptor: NetworkInterceptor {
    /// The name of the header field with the request id; `nil` sends none.
    private let header: String?
    private let requestID: (@Sendable (NetworkCall) -> String)?
    private let tracing: Tracing
    private let vendor: String?
    private let random: @Sendable () -> UInt64

    /// Whether calls are part of a trace (W3C Trace Context).
    public enum Tracing: Sendable, Hashable {
        /// No `traceparent` is added; a request that brings its own keeps it.
        case off
        /// A call is part of the trace that the request's own headers name, otherwise of ``TraceContext/current``, and
        /// of none without either.
        case continued
        /// As `continued`, but a call without either begins a trace, which is recorded or not.
        case begun(isSampled: Bool)
    }

    /// - Parameters:
    ///   - header: where the request id goes; nil sends none. A request that has that header keeps its own.
    ///   - requestID: makes the id, once for a call. Nil takes 128 random bits in hexadecimal.
    ///   - tracing: whether calls are part of a trace.
    ///   - vendor: the key of one's own tracing system in `tracestate`; its value there is the id of the span. Nil
    ///     hands `tracestate` on as it is.
    ///   - random: gives any number, for ids.
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
                traceID: parent.traceID, spanID: spanID, isSampled: parent.isSampled, state: parent.state)
        } else {
            guard case .begun(let isSampled) = tracing else { return }
            let traceID = call.shared(TraceID.self) { nonzero().hexadecimal + random().hexadecimal }
            context = TraceContext(traceID: traceID, spanID: spanID, isSampled: isSampled, state: nil)
        }
        if let vendor {
            guard TraceContext.isKey(vendor) else {
                throw .interceptor(
                    NetworkError.InterceptorFailure(
                        interceptor: "TracingInterceptor", reason: "\"\(vendor)\" is no key for tracestate",
                        mayHaveReachedServer: false))
            }
            context = context.adding(vendor)
        }
        call.headers["traceparent"] = context.traceparent
        call.headers["tracestate"] = context.state
    }

    private enum RequestID: CallKey {
        typealias Value = String
    }

    private enum TraceID: CallKey {
        typealias Value = String
    }

    /// An id of zeros alone would mean that there is none.
    private func nonzero() -> UInt64 {
        max(random(), 1)
    }
}
