import Foundation
public import RecordKit
public import RecordKitCurl
public import RecordKitTesting
import XCTest

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// An action of a server, and the outcome that the caller sees.
public struct HostileBehavior: Sendable {
    /// The ways to run a call.
    public enum Way: CaseIterable, Sendable {
        case value
        case dataTask
        case dataTaskInOtherSession
        /// Over libcurl, in place of URLSession.
        case curl

        public var isDataTask: Bool { self == .dataTask || self == .dataTaskInOtherSession }

        /// Returns a short description of the outcome of a call that is run in this way.
        public func outcome(
            _ configuration: NetworkConfiguration, _ request: Ask<NetworkResponse> = Ask(),
            otherSession: URLSession? = nil
        ) async -> String {
            await HostileBehavior.text(
                of: HostileBehavior.run(request, configuration, self, otherSession: otherSession))
        }
    }

    public let name: String
    public let expected: String
    /// The outcome of a data task in a session of the caller's, where it has to differ.
    public var inOtherSession: String?
    /// The outcome over libcurl, where it differs on purpose.
    public var byCurl: String?
    public var request = Ask<NetworkResponse>()
    public let handler: LoopbackServer.Handler

    public init(
        name: String, expected: String, inOtherSession: String? = nil, byCurl: String? = nil,
        request: Ask<NetworkResponse> = Ask(), handler: @escaping LoopbackServer.Handler
    ) {
        self.name = name
        self.expected = expected
        self.inOtherSession = inOtherSession
        self.byCurl = byCurl
        self.request = request
        self.handler = handler
    }

    /// Returns a server that sends these bytes and closes the connection.
    public static func raw(_ name: String, _ bytes: String, _ expected: String, byCurl: String? = nil)
        -> HostileBehavior
    { HostileBehavior(name: name, expected: expected, byCurl: byCurl) { _ in [.send(bytes), .close] } }

    /// Returns a server that sends this head, the body `no`, and closes the connection.
    public static func head(
        _ name: String, _ lines: String..., gives expected: String, inOtherSession: String? = nil, byCurl: String? = nil
    ) -> HostileBehavior {
        var behavior = raw(name, lines.map { $0 + "\r\n" }.joined() + "\r\nno", expected, byCurl: byCurl)
        behavior.inOtherSession = inOtherSession
        return behavior
    }

    /// Returns a server that sends the same response to every request.
    public static func answer(
        _ name: String, _ answer: StubResponse, _ expected: String, inOtherSession: String? = nil,
        request: Ask<NetworkResponse> = Ask()
    ) -> HostileBehavior {
        HostileBehavior(name: name, expected: expected, inOtherSession: inOtherSession, request: request) { _ in
            answer
        }
    }

    /// Returns a server that redirects `/ask` to `location`, and responds to other requests with their content.
    public static func redirect(
        _ name: String, to location: String, status: Int = 302, _ expected: String,
        request: Ask<NetworkResponse> = Ask()
    ) -> HostileBehavior {
        HostileBehavior(name: name, expected: expected, request: request) { request in
            request.path == "/ask"
                ? .redirect(to: location, status: status)
                : .text("\(request.method) \(request.target)\(request.text.isEmpty ? "" : " ")\(request.text)")
        }
    }

    public func outcome(_ way: Way) async throws -> String {
        let server = try LoopbackServer(handler: handler)
        var configuration = NetworkConfiguration(server.url)
        configuration.options.timeout = .seconds(20)
        return await way.outcome(configuration, request)
    }

    /// The transport over libcurl, one for all tests.
    public static let curl = CurlTransport()

    /// Runs one call in one of the ways.
    ///
    /// - Parameter otherSession: A session for several calls. `nil` creates one for this call.
    public static func run(
        _ request: Ask<NetworkResponse>, _ configuration: NetworkConfiguration, _ way: Way,
        otherSession: URLSession? = nil
    ) async -> Result<NetworkResponse, NetworkError> {
        var configuration = configuration
        if way == .curl { configuration.transport = curl }
        return await run(request, over: NetworkSession(configuration), way, otherSession: otherSession)
    }

    /// Runs one call of a session in one of the ways.
    public static func run(
        _ request: Ask<NetworkResponse>, over session: NetworkSession, _ way: Way, otherSession: URLSession? = nil
    ) async -> Result<NetworkResponse, NetworkError> {
        let manager = NetworkManager<Ask<NetworkResponse>>(session)
        let own = way == .dataTaskInOtherSession && otherSession == nil ? URLSession(configuration: .withoutCache) : nil
        let other = way == .dataTaskInOtherSession ? otherSession ?? own : nil
        defer { own?.finishTasksAndInvalidate() }
        let result: Result<NetworkResponse, NetworkError>
        if !way.isDataTask {
            do throws(NetworkError) {
                result = .success(try await manager.value(for: request))
            } catch {
                result = .failure(error)
            }
        } else {
            result = await withCheckedContinuation { continuation in
                manager.dataTask(for: request, in: other) { continuation.resume(returning: $0) }
            }
        }
        XCTAssertEqual(manager.inFlight, 0)
        return result
    }

    /// Returns a short description: `200 body`, `refused 404 body`, `lost`, `untrusted`, `timed out`, `redirect loop` …
    public static func text(of result: Result<NetworkResponse, NetworkError>) -> String {
        func short(_ response: NetworkResponse) -> String {
            "\(response.statusCode) \(String(decoding: response.body, as: UTF8.self).prefix(60))"
        }
        return switch result {
        case .success(let response): short(response)
        case .failure(.status(let response)): "refused " + short(response)
        case .failure(.connection(let failure)): "\(failure.kind)\(failure.mayHaveReachedServer ? "" : " unsent")"
        case .failure(.timedOut(let timeout)): "timed out: \(timeout.limit)"
        case .failure(.redirectRefused(let refusal)): "redirect: \(refusal.reason)"
        case .failure(.badResponse): "bad response"
        case .failure(.tooLarge(let failure)): "too large: \(failure.limit)"
        case .failure(.cancelled): "cancelled"
        case .failure(.invalidRequest(let invalid)): "invalid: \(invalid.member)"
        case .failure(let error): "\(error)"
        }
    }
}

extension URLSessionConfiguration {
    /// A configuration as the guide requires it of a session of the caller's.
    public static var withoutCache: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return configuration
    }
}
