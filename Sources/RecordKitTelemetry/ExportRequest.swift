import Foundation
import RecordKit

/// An export to a collector (OpenTelemetry protocol over HTTP, with JSON).
struct ExportRequest: NetworkRequest {
    typealias ValueType = Data

    let body: ExportBody

    var path: RequestPath { "" }
    var method: HTTPMethod { .post }
}

/// The body of an export: spans or metrics, and the process that reports them.
struct ExportBody: Encodable, NetworkEncodable, Sendable {
    var resourceSpans: [Group]?
    var resourceMetrics: [Group]?

    struct Group: Encodable, Sendable {
        let resource: Resource
        var scopeSpans: [Scope]?
        var scopeMetrics: [Scope]?
    }

    struct Resource: Encodable, Sendable {
        let attributes: [Attribute]
    }

    struct Scope: Encodable, Sendable {
        let scope = Name()
        var spans: [Span]?
        var metrics: [Metric]?
    }

    struct Name: Encodable, Sendable {
        let name = "RecordKit"
        let version = NetworkConfiguration.libraryVersion
    }

    init(spans: [Span], of resource: Resource) {
        resourceSpans = [Group(resource: resource, scopeSpans: [Scope(spans: spans)])]
    }

    init(metrics: [Metric], of resource: Resource) {
        resourceMetrics = [Group(resource: resource, scopeMetrics: [Scope(metrics: metrics)])]
    }
}

/// What a collector responds: nothing, or how much of an export it has rejected.
struct ExportReply {
    let rejected: Int
    let message: String?

    init(_ body: Data) {
        let reply = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any]
        let partialSuccess = reply?["partialSuccess"] as? [String: Any]
        let count = partialSuccess?["rejectedSpans"] ?? partialSuccess?["rejectedDataPoints"]
        // A decimal string in the JSON of protocol buffers. Some collectors send a number.
        rejected = max(count as? Int ?? (count as? String).flatMap { Int($0) } ?? 0, 0)
        message = partialSuccess?["errorMessage"] as? String
    }
}
