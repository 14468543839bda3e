import Foundation
import RecordKit

// POST of many requests as one.
extension StoreService {
    func batch(_ request: StoreRequest) throws -> StoreResponse {
        let requests = try BatchBody(request, limit: Self.batchLimit).requests
        var writer = JSONWriter()
        writer.raw(#"{"responses":["#)
        for (index, inner) in requests.enumerated() {
            if index > 0 { writer.raw(",") }
            try Task.checkCancellation()
            // One that is refused leaves the others as they are.
            write(try answerInTransaction(inner), to: inner, &writer)
        }
        writer.raw("]}")
        return StoreResponse(version: nil, body: writer.bytes)
    }

    private func write(_ response: StoreResponse, to request: StoreRequest, _ writer: inout JSONWriter) {
        writer.raw(#"{"status":"#)
        writer.raw(String(response.status).utf8)
        writer.raw(#","path":"#)
        writer.write(request.path.removingPercentEncoding ?? request.path)
        writer.raw(#","headers":{"#)
        for (index, header) in response.headers.fields.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.write(header.name)
            writer.raw(":")
            writer.write(header.value)
        }
        writer.raw(#"},"body":"#)
        if response.body.isEmpty { writer.raw(#""""#) } else { writer.raw(response.body) }
        writer.raw("}")
    }
}
