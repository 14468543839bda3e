import Foundation
import RecordKit
import RecordKitInterceptors

extension NetworkConfiguration {
    /// Makes the configuration for the store or the server in `settings`. Both take the same requests.
    init(_ settings: Settings, _ console: Console) throws {
        switch settings.place {
        case .store(let path):
            self.init(
                environment: NetworkEnvironment(host: "embedded.invalid", version: "v1"),
                transport: EmbeddedTransport(EmbeddedStore(file: URL(storePath: path))),
                options: RequestOptions(sizeLimit: .max))
            let search = SearchIndex.isAvailable ? "" : " SQLite has no FTS5 here, so a search reads all records."
            console.detail("The stock is in \(path).\(search)")
        case .server(let address):
            // A till waits only for short outages, since a person stands in front of it. It reports longer ones. A page
            // of HTML is no response of Kinto, whatever its status.
            self.init(
                environment: NetworkEnvironment(address),
                options: RequestOptions(
                    timeout: .seconds(30), deadline: .seconds(40), expectedType: "application/json"))
            let longestWait = Duration.seconds(5)
            interceptors = [RetryInterceptor(ceiling: longestWait)]
            if let account = settings.account {
                interceptors.append(
                    AuthorizationInterceptor(try account.credential(from: console), for: .origin(address)))
            }
            interceptors.append(RateLimitInterceptor(longestWait: longestWait))
            let account = settings.account.map { "signed in as \($0.user)" } ?? "not signed in"
            console.detail("The stock is on \(address), \(account).")
        }
        if console.verbosity == .verbose {
            interceptors += [ServerAlert(console: console), LoggingInterceptor(to: console)]
        }
    }
}

extension CommandRunner {
    /// Runs a command on the stock in `settings`.
    static func run(
        _ command: Command, _ options: GlobalOptions, _ settings: Settings, _ console: Console
    ) async throws -> ExitCode {
        let stock = Stock(try NetworkConfiguration(settings, console), bucket: settings.bucket, source: settings.source)
        let runner = CommandRunner(
            stock: stock, place: settings.place, printsJSON: options.json, console: console)
        return try await runner.run(command)
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

extension Console: NetworkLog {
    func write(_ message: String, at level: LogLevel) {
        detail(message)
    }
}
