public import Foundation
public import RecordKit
public import RecordKitTesting
import Synchronization

extension CannedTransport {
    public enum Turn: Sendable {
        case answer(Int, HTTPHeaders = [:], body: String = "")
        case fail(NetworkError)
    }

    /// Responds in order, and with the last response repeatedly.
    public convenience init(_ first: Turn, _ others: Turn...) {
        let left = Mutex(([first] + others)[...])
        self.init { call throws(NetworkError) in
            let turn = left.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
            switch turn {
            case .answer(let status, let headers, let body)?:
                return NetworkResponse(statusCode: status, headers: headers, body: Data(body.utf8), url: call.url)
            case .fail(let error)?: throw error
            case nil: throw .cancelled
            }
        }
    }

    /// Accepts one token, and responds to others with 401. Holds back the response to one method until the gate opens.
    public convenience init(
        accepting token: String, holding method: HTTPMethod, _ isSent: ResponseGate, until gate: ResponseGate
    ) {
        self.init { call throws(NetworkError) in
            if call.headers["Authorization"] == "Bearer \(token)" {
                return NetworkResponse(statusCode: 200, url: call.url)
            }
            if call.method == method {
                isSent.open()
                do { try await gate.wait() } catch { throw .cancelled }
            }
            return NetworkResponse(statusCode: 401, url: call.url)
        }
    }
}

extension NetworkError {
    public static let lost = connection(kind: .lost, reached: true)
    public static let refused = connection(kind: .refused, reached: false)

    public static func connection(kind: NetworkError.ConnectionFailure.Kind, reached: Bool) -> NetworkError {
        .connection(
            NetworkError.ConnectionFailure(kind: kind, host: "store.example:443", mayHaveReachedServer: reached))
    }
}

extension NetworkConfiguration {
    /// Creates a configuration for responses that are made in the process.
    public init(
        _ transport: any NetworkTransport, _ interceptors: [any NetworkInterceptor] = [], clock: ManualClock? = nil,
        options: RequestOptions = RequestOptions(), observers: [any NetworkObserver] = []
    ) {
        self.init(
            environment: NetworkEnvironment("https://store.example"), transport: transport, interceptors: interceptors,
            options: options, clock: clock?.networkClock ?? .continuous, observers: observers)
    }
}

extension NetworkSession {
    /// Creates a session for responses that are made in the process.
    public convenience init(
        _ transport: any NetworkTransport, _ interceptors: [any NetworkInterceptor] = [], clock: ManualClock? = nil,
        options: RequestOptions = RequestOptions(), observers: [any NetworkObserver] = []
    ) {
        self.init(NetworkConfiguration(transport, interceptors, clock: clock, options: options, observers: observers))
    }

    /// Returns the response, whatever its status, or the error.
    public func outcome(of request: Ask<Data>) async -> Result<NetworkResponse, NetworkError> {
        await withTimeLimit {
            do throws(NetworkError) {
                let data = try await self.value(for: request)
                return .success(NetworkResponse(statusCode: 200, body: data, url: URL(filePath: "/")))
            } catch .status(let response) {
                return .success(response)
            } catch {
                return .failure(error)
            }
        }
    }

    public func status(of request: Ask<Data> = Ask<Data>()) async -> Int? {
        try? await outcome(of: request).get().statusCode
    }
}
