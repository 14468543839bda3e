import Foundation
import RecordKit

extension StubPattern {
    /// The one request that this value makes: the same method, URL and body, and at least the headers that it sets
    /// itself.
    ///
    /// JSON and form bodies are compared by what they mean. Multipart bodies, files and streams are not compared.
    ///
    /// - Throws: `NetworkError.invalidRequest`.
    init(_ request: some NetworkRequest, in environment: NetworkEnvironment?) throws(NetworkError) {
        let call = try request.call(in: environment)
        self.init(call.method, "")
        isExact = true
        origin = call.origin.description
        path = call.url.path(percentEncoded: true)
        query = call.url.queryItems
        do throws(NetworkError.InvalidRequest) {
            headers = try request.sentMembers().headers
        } catch {
            throw .invalidRequest(error)
        }
        name = "\(call.name) (\(call.method) \(path))"
        bodyDifference = BodyComparison.difference(from: call)
    }
}
