import RecordKit
import RecordKitCurl
import TestSupport
import XCTest

/// A request with any members, whose response is returned with any status of 2xx.
typealias Fetch = Ask<NetworkResponse>

extension NetworkConfiguration {
    /// Creates a configuration over libcurl for a test's own server.
    init(_ url: URL, _ change: (inout CurlTransport.Options) -> Void = { _ in }) {
        var options = CurlTransport.Options()
        change(&options)
        self.init(environment: NetworkEnvironment(url.absoluteString), transport: CurlTransport(options))
    }

    /// Returns a short description of the outcome in a session of its own.
    func outcome(_ fetch: Fetch = Fetch()) async -> String { await NetworkSession(self).outcome(fetch) }

    /// Returns the stream of a response in a session of its own.
    func stream(_ fetch: Fetch = Fetch()) async throws -> NetworkBytes { try await NetworkSession(self).stream(fetch) }
}

extension NetworkSession {
    /// Returns a short description of an outcome: `200 body`, `lost`, `tls(expired) unsent` …
    func outcome(_ fetch: Fetch = Fetch()) async -> String {
        do throws(NetworkError) {
            let response = try await value(for: fetch)
            return "\(response.statusCode) \(String(decoding: response.body, as: UTF8.self))"
        } catch {
            switch error {
            case .status(let response): return "refused \(response.statusCode)"
            case .connection(let failure):
                let kind =
                    if case .tls(let failure) = failure.kind { "tls(\(failure))" } else { "\(failure.kind)" }
                return "\(kind)\(failure.mayHaveReachedServer ? "" : " unsent")"
            case .invalidRequest(let failure): return "invalid \(failure.member): \(failure.reason)"
            case .badResponse: return "bad response"
            case .tooLarge(let failure): return "too large: \(failure.limit)"
            case .cancelled: return "cancelled"
            default: return "\(error)"
            }
        }
    }

    /// Returns the stream of a response.
    func stream(_ fetch: Fetch = Fetch()) async throws -> NetworkBytes {
        let response = try await value(for: fetch) { $0.delivery = .streamed }
        guard let stream = response.stream else { throw CocoaError(.featureUnsupported) }
        return stream
    }
}

extension CurlTransport {
    static func isAtLeast(_ version: String) -> Bool {
        self.version.compare(version, options: .numeric) != .orderedAscending
    }

    static func skipUnless(_ version: String) throws {
        if !isAtLeast(version) { throw XCTSkip("libcurl \(self.version) is older than \(version)") }
    }
}

extension URL {
    /// Creates a URL from a string that must be one.
    init(of text: String) throws {
        guard let url = URL(string: text) else { throw CocoaError(.fileReadInvalidFileName) }
        self = url
    }
}
