import Foundation
import RecordKit

/// Passes calls to an ``EmbeddedStore`` in place of a server.
///
/// Ignores the host of the URL. The path begins with `/v1`. An error of the file is a `NetworkError.ConnectionFailure`
/// with an ``EmbeddedStoreError`` as its cause. Waiting for another process ends after the patience of the store.
struct EmbeddedTransport: NetworkTransport {
    private let store: EmbeddedStore

    /// The environment of the requests. Only their paths count, so logs leave it out.
    static let environment = NetworkEnvironment(host: "store.invalid", version: "v1")

    init(_ store: EmbeddedStore) {
        self.store = store
    }

    /// Closes the file of the store.
    func close() async { await store.close() }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let body = try await call.body?.data() ?? Data()
        do {
            let response = try await store.respond(to: StoreRequest(call, body: body))
            return NetworkResponse(
                statusCode: response.status, headers: response.headers, body: Data(response.body), url: call.url)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            let changedNothing = (error as? EmbeddedStoreError)?.changedNothing ?? false
            throw .connection(
                NetworkError.ConnectionFailure(
                    kind: .unknown, host: "the store", mayHaveReachedServer: !changedNothing, cause: error))
        }
    }
}

extension StoreRequest {
    /// - Parameter body: The bytes of the call's body.
    init(_ call: NetworkCall, body: Data) {
        self.init(
            method: call.method, path: call.url.path(percentEncoded: true), query: call.url.query(percentEncoded: true),
            headers: call.headers, body: .bytes(body))
    }
}
