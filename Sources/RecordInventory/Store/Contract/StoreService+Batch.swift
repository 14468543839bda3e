import RecordKitJSON
import Foundation
import RecordKit

// POST of a batch.
extension StoreService {
    func batch(_ request: StoreRequest) throws -> StoreResponse {
        guard let requests = try request.object()?.last("requests")?.elements, requests.count <= Self.batchLimit else {
            throw StoreRefusal.invalid("a batch has at most \(Self.batchLimit) requests")
        }
        // All are read before the first one changes anything.
        let parts = try requests.map { try StoreRequest($0, within: request) }
        let lists = OpenLists()
        var writer = JSONText()
        writer.raw(#"{"responses":["#)
        try writer.list(parts) { part, writer in
            try Task.checkCancellation()
            // A refused request does not affect the others.
            write(try respondInTransaction(part, lists), to: part, &writer)
        }
        writer.raw("]}")
        return StoreResponse(writer.bytes)
    }

    private func write(_ response: StoreResponse, to request: StoreRequest, _ writer: inout JSONText) {
        writer.raw(#"{"status":"#)
        writer.raw(String(response.status).utf8)
        writer.raw(#","path":"#)
        let isPlain = !request.path.utf8.contains(UInt8(ascii: "%"))
        writer.write(isPlain ? request.path : request.path.removingPercentEncoding ?? request.path)
        writer.raw(#","headers":"#)
        let headers = response.headers.map { JSONObject.Member(name: $0.name, value: .string($0.value)) }
        writer.write(.object(JSONObject(headers)))
        writer.raw(#","body":"#)
        writer.raw(response.body)
        writer.raw("}")
    }
}

extension StoreRequest {
    /// Reads a request of a batch. It also has the headers of the batch. Its body was parsed with the batch.
    fileprivate init(_ json: JSONView, within batch: StoreRequest) throws(StoreRefusal) {
        guard let target = json.last("path")?.string, let method = json.last("method")?.string
        else { throw .invalid("a request of a batch has a method and a path") }
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1).map { String(Substring($0)) }
        self.init(
            method: HTTPMethod(rawValue: method), path: StoreRoute.prefix + (parts.first ?? ""),
            query: parts.count > 1 ? parts[1] : nil, headers: batch.headers,
            body: json.last("body").map { .parsed($0) } ?? .bytes(Data()))
        for header in json.last("headers")?.members ?? [] { headers[header.name] = header.value.string }
    }
}
