import Foundation
public import RecordKit
import Synchronization
import XCTest

/// Responds with a closure, without a network, and records the calls that it receives.
public final class CannedTransport: NetworkTransport {
    public typealias Handler = @Sendable (NetworkCall) async throws(NetworkError) -> NetworkResponse

    private let handler: Handler
    private let sent = Mutex<[NetworkCall]>([])

    public init(_ handler: @escaping Handler) { self.handler = handler }

    public convenience init(status: Int = 200, headers: HTTPHeaders = [:], body: String = "") {
        self.init { call throws(NetworkError) in
            NetworkResponse(statusCode: status, headers: headers, body: Data(body.utf8), url: call.url)
        }
    }

    /// Accepts one token, and refuses every other.
    public convenience init(accepting token: String) {
        self.init { call throws(NetworkError) in
            let isAccepted = call.headers["Authorization"] == "Bearer \(token)"
            return NetworkResponse(statusCode: isAccepted ? 200 : 401, url: call.url)
        }
    }

    public var calls: [NetworkCall] { sent.withLock { $0 } }

    public func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        sent.withLock { $0.append(call) }
        return try await handler(call)
    }
}

/// Returns the error of an awaited call, as its own type.
public func failure<Value, Failure: Error>(
    of work: () async throws(Failure) -> Value
) async -> Failure? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error
    }
}

/// Returns the network error of an awaited call. Any other error fails the test.
public func networkError<Value>(of work: () async throws -> Value) async -> NetworkError? {
    do {
        _ = try await work()
    } catch let error as NetworkError {
        return error
    } catch {
        XCTFail("\(error)")
    }
    return nil
}

extension NetworkClient {
    /// Returns the error of a request, as its own type.
    public func failure<Request: NetworkRequest>(of request: Request) async -> Request.ErrorType? {
        await TestSupport.failure { () async throws(Request.ErrorType) in try await value(for: request) }
    }
}

extension NetworkManager {
    /// Returns the error of a request, as its own type.
    public func failure(of request: Request) async -> Request.ErrorType? { await client.failure(of: request) }
}

extension NetworkConfiguration {
    /// Returns the error of a request in a session of its own.
    public func failure<Request: NetworkRequest>(of request: Request) async -> Request.ErrorType? {
        await NetworkSession(self).failure(of: request)
    }
}

extension NetworkRequest {
    /// Returns the call of this request in an environment.
    public func call(in environment: NetworkEnvironment?) throws(NetworkError) -> NetworkCall {
        try call(in: NetworkConfiguration(environment: environment, transport: CannedTransport()))
    }
}
