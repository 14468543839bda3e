import Foundation
import RecordKit
import RecordKitInterceptors

/// The spans of a call in flight: those of its attempts that have ended, and its own.
struct CallRecord {
    /// A retry policy may allow more attempts than a trace needs.
    private static var mostAttempts: Int { 128 }

    private let spanID = Span.randomID(bytes: 8)
    /// The date of the time zero of the call's clock. A date that is set during the call changes no duration.
    private let epoch: Date
    private let start: Duration
    private let parent: TraceContext?
    private var attempts: [Span] = []
    /// Whether the last attempt has received a stream. Its reader may leave it early.
    private var isStreamed = false
    /// The context that the last attempt was sent with.
    private var sent: TraceContext?

    /// Begins the record of a call, when it was built.
    init(of call: NetworkCall, _ event: NetworkEvent) {
        epoch = call.clock.date().addingTimeInterval(-call.clock.now().seconds)
        start = event.start
        parent = call.traceContext ?? TraceContext.current
    }

    /// Adds the span of an attempt that has ended.
    mutating func add(_ event: NetworkEvent, of call: NetworkCall) {
        isStreamed = call.delivery == .streamed && event.statusCode.map { $0 < 300 } == true
        guard attempts.count < Self.mostAttempts else { return }
        // A call that continues a trace without an interceptor has the context of its parent.
        let own = call.traceContext.flatMap { $0.spanID == parent?.spanID ? nil : $0 }
        sent = own ?? sent
        var attributes = call.attributes(of: event)
        if call.knownMethod == nil {
            attributes.append(Attribute("http.request.method_original", call.method.rawValue))
        }
        attributes.append(Attribute("url.full", call.url.redacted(call.headers.sensitiveNames)))
        if let attempt = event.attempt, attempt > 1 {
            attributes.append(Attribute("http.request.resend_count", attempt - 1))
        }
        attempts.append(
            Span(
                traceId: "", spanId: own?.spanID ?? Span.randomID(bytes: 8), parentSpanId: spanID,
                traceState: own?.tracestate, name: call.knownMethod ?? "HTTP", kind: .attempt,
                startTimeUnixNano: unixNano(event.start),
                endTimeUnixNano: unixNano(event.start + event.duration), attributes: attributes,
                status: event.errorType.map { _ in Span.Status() }))
    }

    /// Returns why the call failed. A stream that its reader leaves early is no failure.
    func errorType(at end: NetworkEvent) -> String? {
        isStreamed && end.detail == "NetworkError.cancelled" ? nil : end.detail
    }

    /// Returns the spans of the call, which has ended. None if its trace isn't sampled.
    func spans(of call: NetworkCall, _ event: NetworkEvent) -> [Span] {
        if let context = sent ?? parent, !context.isSampled { return [] }
        let traceID = sent?.traceID ?? parent?.traceID ?? Span.randomID(bytes: 16)
        var attributes = [Attribute("recordkit.request", call.name)]
        let error = errorType(at: event)
        if let error { attributes.append(Attribute("error.type", error)) }
        let own = Span(
            traceId: traceID, spanId: spanID, parentSpanId: parent?.spanID, traceState: parent?.tracestate,
            name: call.name, kind: .call, startTimeUnixNano: unixNano(start),
            endTimeUnixNano: unixNano(event.start + event.duration), attributes: attributes,
            status: error.map { _ in Span.Status() })
        return [own]
            + attempts.map { attempt in
                var attempt = attempt
                attempt.traceId = traceID
                return attempt
            }
    }

    private func unixNano(_ time: Duration) -> String { epoch.addingTimeInterval(time.seconds).unixNano }
}

extension NetworkEvent {
    /// Why an attempt failed, as `error.type` has it: the status, or the kind of the failure.
    var errorType: String? {
        guard let statusCode else { return detail ?? "_OTHER" }
        return statusCode >= 400 ? String(statusCode) : nil
    }
}

extension NetworkCall {
    /// The trace in the header fields, if any.
    var traceContext: TraceContext? {
        headers["traceparent"].flatMap { TraceContext(traceparent: $0, tracestate: headers["tracestate"]) }
    }

    /// The method, or `nil` if OpenTelemetry doesn't define it.
    var knownMethod: String? {
        let known = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"]
        return known.contains(method.rawValue) ? method.rawValue : nil
    }

    /// The attributes that the span and the duration of an attempt share. See OpenTelemetry's conventions for HTTP.
    func attributes(of event: NetworkEvent) -> [Attribute] {
        var attributes = [
            Attribute("http.request.method", knownMethod ?? "_OTHER"),
            // An IPv6 address is in brackets in a URL alone.
            Attribute("server.address", origin.host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))),
            Attribute("server.port", origin.port),
        ]
        if let status = event.statusCode { attributes.append(Attribute("http.response.status_code", status)) }
        if let error = event.errorType { attributes.append(Attribute("error.type", error)) }
        return attributes
    }
}
