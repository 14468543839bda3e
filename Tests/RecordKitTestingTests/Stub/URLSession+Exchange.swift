import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The result of a task: a response or an error.
struct Exchange: Sendable {
    let status: Int?
    let headers: [String: String]
    let body: Data
    let error: (any Error)?

    var text: String { String(decoding: body, as: UTF8.self) }
    var errorCode: URLError.Code? { (error as? URLError)?.code }
}

extension URLSession {
    /// Returns a session without caches, which keeps nothing from one test to the next.
    static func fresh(
        _ configuration: URLSessionConfiguration = .ephemeral, connections: Int = 6
    ) -> URLSession {
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpMaximumConnectionsPerHost = connections
        return URLSession(configuration: configuration)
    }

    /// Runs a data task until it ends.
    func exchange(_ request: URLRequest) async -> Exchange {
        await withCheckedContinuation { continuation in
            start(request) { continuation.resume(returning: $0) }
        }
    }

    func exchange(_ url: URL) async -> Exchange { await exchange(URLRequest(url: url)) }

    @discardableResult
    func start(
        _ request: URLRequest, completion: @escaping @Sendable (Exchange) -> Void
    ) -> URLSessionDataTask {
        let task = dataTask(with: request) { data, response, error in
            let response = response as? HTTPURLResponse
            let headers = response?.allHeaderFields.reduce(into: [String: String]()) { headers, field in
                headers["\(field.key)"] = "\(field.value)"
            }
            completion(
                Exchange(status: response?.statusCode, headers: headers ?? [:], body: data ?? Data(), error: error))
        }
        task.resume()
        return task
    }
}

/// A task that can be awaited and cancelled.
final class StartedExchange: Sendable {
    private let task: URLSessionDataTask
    private let end: Task<Exchange, Never>

    init(_ request: URLRequest, in session: URLSession) {
        let (stream, continuation) = AsyncStream.makeStream(of: Exchange.self)
        task = session.start(request) {
            continuation.yield($0)
            continuation.finish()
        }
        end = Task {
            for await exchange in stream { return exchange }
            return Exchange(status: nil, headers: [:], body: Data(), error: CancellationError())
        }
    }

    var exchange: Exchange {
        get async { await end.value }
    }

    func cancel() { task.cancel() }
}
