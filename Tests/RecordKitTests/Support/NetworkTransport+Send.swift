@testable import RecordKit

extension NetworkTransport {
    /// Sends one attempt, as a configuration without interceptors does.
    func send(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        try await CallDriver(transport: self, cookies: nil).chain([])(call)
    }
}
