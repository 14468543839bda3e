import Foundation
import RecordKit

/// An export to a collector (OpenTelemetry protocol over HTTP, with JSON).
struct ExportRequest: NetworkRequest {
    typealias ValueType = Data

    let body: ExportBody

    var path: RequestPath { body.resourceSpans == nil ? "v1/metrics" : "v1/traces" }
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

/// What a collector responds: nothing, or how much it has rejected.
enum ExportReply {
    private struct Reply: Decodable {
        let partialSuccess: PartialSuccess?
    }

    private struct PartialSuccess: Decodable {
        let rejectedSpans: Count?
    }

    /// A decimal string in the JSON of protocol buffers. Some collectors send a number.
    private struct Count: Decodable {
        let value: Int

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            value = try (try? container.decode(Int.self)) ?? Int(container.decode(String.self)) ?? 0
        }
    }

    static func rejectedSpans(in body: Data) -> Int {
        max((try? JSONDecoder().decode(Reply.self, from: body))?.partialSuccess?.rejectedSpans?.value ?? 0, 0)
    }
}
