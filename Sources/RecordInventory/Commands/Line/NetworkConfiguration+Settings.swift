import Foundation
import RecordKit
import RecordKitInterceptors
import Synchronization

#if os(Linux)
import RecordKitCurl
#endif

extension NetworkConfiguration {
    /// Creates the configuration for the store or the server in `settings`. Both take the same requests.
    init(_ settings: Settings, _ console: Console, timeout: Duration = .seconds(30)) throws {
        switch settings.place {
        case .store(let path):
            self.init(
                environment: EmbeddedTransport.environment,
                transport: EmbeddedTransport(EmbeddedStore(file: URL(storePath: path), patience: timeout)),
                options: RequestOptions(sizeLimit: .max))
            let search = SearchIndex.isAvailable ? "" : " SQLite has no FTS5 here, so a search reads all records."
            console.detail("The stock is in \(path).\(search)")
        case .server(let address):
            // A till waits only for short outages, since a person stands in front of it. It reports longer ones. A page
            // of HTML is no response of Kinto, whatever its status.
            self.init(
                environment: NetworkEnvironment(address), transport: Self.transport(),
                options: RequestOptions(
                    timeout: timeout, deadline: timeout + min(timeout, .seconds(10)), expectedType: "application/json"))
            // Operators of servers look up the program and its contact in their logs.
            headers = ["User-Agent": Project.userAgent]
            let longestWait = min(Duration.seconds(5), timeout)
            interceptors = [RetryInterceptor(backoff: Backoff(longestWait: longestWait))]
            if let account = settings.account {
                interceptors.append(
                    AuthorizationInterceptor(try account.credential(from: console), for: .origin(address)))
            }
            interceptors += [LongPause(limit: timeout), RateLimitInterceptor(longestWait: longestWait)]
            let account = settings.account.map { "signed in as \($0.user)" } ?? "not signed in"
            console.detail("The stock is on \(address), \(account).")
        }
        interceptors.insert(WaitNotice(settings.place, console), at: 0)
        if console.verbosity == .verbose {
            let log = RequestLog(console: console)
            interceptors += [ServerAlert(console: console), LoggingInterceptor(to: log)]
        }
    }

    /// Returns the transport for a server. It uses the proxy of the environment, if any.
    static func transport() -> any NetworkTransport {
        #if os(Linux)
        var options = CurlTransport.Options()
        options.proxy = .environment
        return CurlTransport(options)
        #else
        return URLSessionTransport()
        #endif
    }
}

/// Reports what a command waits for, once, after a second.
final class WaitNotice: NetworkInterceptor {
    private let message: String
    private let console: Console
    private let isShown = Atomic(false)

    init(_ place: StockPlace, _ console: Console) {
        self.console = console
        message = "Waiting for \(place.isStore ? "the store " : "")\(place.name) …"
    }

    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        let notice = Task {
            try await Task.sleep(for: .seconds(1))
            if !isShown.exchange(true, ordering: .relaxed) { console.note(message) }
        }
        defer { notice.cancel() }
        return try await next(call)
    }
}

/// Shows the `Alert` header of a Kinto server, such as the end of its service.
struct ServerAlert: NetworkInterceptor {
    let console: Console

    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        let response = try await next(call)
        if let alert = response.headers["Alert"] { console.detail("The server says: \(alert)") }
        return response
    }
}

/// Shows the requests and responses. A store has no address, so there only the paths of its requests are shown.
private struct RequestLog: NetworkLog {
    let console: Console

    func write(_ message: String, at level: LogLevel) {
        console.detail(message.replacing(EmbeddedTransport.environment.baseURL, with: ""))
    }
}
