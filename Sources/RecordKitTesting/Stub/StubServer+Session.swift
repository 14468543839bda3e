#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension StubServer {
    /// A new configuration for URLSessions that this server responds to, until it is released: ephemeral, without
    /// cache, cookies and credentials.
    ///
    /// It may be copied and changed, except for `protocolClasses`.
    public var sessionConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.protocolClasses = [protocolClass] + (configuration.protocolClasses ?? [])
        return configuration
    }

    /// Responds to a task of a URLSession.
    ///
    /// The handler's work must not run on URLSession's own queue, and a stream must not be read there.
    func respond(to request: URLRequest, through delivery: StubDelivery) {
        queue.async { [self] in
            let response: StubResponse
            do {
                guard let request = StubRequest(request.withBodyRead) else { throw URLError(.badURL) }
                response = try book.response(to: request)
            } catch {
                response = .failure(error)
            }
            delivery.respond(with: response, on: queue)
        }
    }
}

extension URLRequest {
    /// The request with the bytes of its body stream in `httpBody`.
    fileprivate var withBodyRead: URLRequest {
        guard let stream = httpBodyStream else { return self }
        var request = self
        var body = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        stream.open()
        defer { stream.close() }
        while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 {
            body.append(contentsOf: buffer[..<count])
        }
        request.httpBody = body
        return request
    }
}
