import Foundation
import RecordKit

/// Passes calls to an ``EmbeddedStore`` in place of a server.
///
/// Ignores the host of the URL. The path begins with `/v1`. An error of the file is a `NetworkError.ConnectionFailure` with an
/// ``EmbeddedStoreError`` as its cause. Waiting for another process ends after half a minute.
struct EmbeddedTransport: NetworkTransport {
    private let store: EmbeddedStore

    init(_ store: EmbeddedStore) {
        self.store = store
    }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let body = try await call.body?.data() ?? Data()
        do {
            let response = try await store.answer(StoreRequest(call, body: Array(body)))
            return NetworkResponse(
                statusCode: response.status, headers: response.headers, body: Data(response.body), url: call.url)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            let changedNothing = (error as? EmbeddedStoreError)?.changedNothing ?? false
            throw .connection(
                NetworkError.ConnectionFailure(
                    kind: .unknown, host: call.url.host(percentEncoded: false) ?? "the store",
                    mayHaveReachedServer: !changedNothing, cause: error))
        }
    }
}

extension StoreRequest {
    /// - Parameter body: the bytes of the call's body.
    init(_ call: NetworkCall, body: [UInt8]) {
        var headers = call.headers
        if let type = call.body?.contentType, !headers.contains("Content-Type") { headers["Content-Type"] = type }
        let url = call.url
        let port = url.port.map { ":\($0)" } ?? ""
        self.init(
            method: call.method, path: url.path(percentEncoded: true), query: url.query(percentEncoded: true),
            headers: headers, body: .bytes(body),
            origin: "\(url.scheme ?? "http")://\(url.host(percentEncoded: true) ?? "")\(port)")
    }
}
