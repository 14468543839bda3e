import RecordKit
import RecordKitStreaming

/// Sends requests to a Kinto server, or to the embedded store. Nothing else in the tool sends requests.
struct KintoServer: Sendable {
    private let network: NetworkSession

    /// - Parameter network: The configuration, with the server as its environment: `http://127.0.0.1:8888/v1`.
    init(_ network: NetworkConfiguration) {
        self.network = NetworkSession(network)
    }

    /// Returns the same server with paths that begin with `path`.
    func appending(_ path: RequestPath) -> KintoServer {
        var configuration = network.configuration
        configuration.environment = configuration.environment?.appending(path)
        return KintoServer(configuration)
    }

    @discardableResult
    func value<Request: NetworkRequest>(
        for request: Request
    ) async throws(Request.ErrorType) -> Request.ValueType {
        try await network.value(for: request)
    }

    func result<Request: NetworkRequest>(
        for request: Request
    ) async -> Result<Request.ValueType, Request.ErrorType> {
        await network.result(for: request)
    }

    /// Passes the pages of a list to `body`, until the end or until `body` returns false.
    func eachPage<Request: PagedRequest>(
        of request: Request, _ body: (Request.ValueType) async throws -> Bool
    ) async throws {
        for try await page in NetworkManager(network).pages(for: request) {
            guard try await body(page.reply.value) else { return }
        }
    }
}
