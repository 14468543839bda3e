import Foundation
import RecordKit

extension NetworkConfiguration {
    /// For the store or the server that the settings name. Both answer the same requests.
    init(_ settings: Settings, _ console: Console) throws {
        switch settings.place {
        case .store(let path):
            self.init(
                environment: NetworkEnvironment(host: "embedded.invalid", version: "v1"),
                transport: EmbeddedTransport(EmbeddedStore(file: URL(storePath: path))),
                options: RequestOptions(sizeLimit: .max))
            console.detail("The stock is in \(path).")
        case .server(let address):
            // A till waits for a server that is busy for a moment. What takes longer is told: somebody stands there.
            // A page is no answer of Kinto's, whatever its status.
            self.init(
                environment: NetworkEnvironment(address),
                options: RequestOptions(
                    timeout: .seconds(30), deadline: .seconds(40), expectedType: "application/json"))
            let longestWait = Duration.seconds(5)
            interceptors = [Retry(ceiling: longestWait)]
            if let account = settings.account {
                interceptors.append(Authorization(try account.credential(from: console), for: .origin(address)))
            }
            interceptors.append(RateLimit(longestWait: longestWait))
            console.detail("The stock is on \(address), signed in as \(settings.account?.user ?? "nobody").")
        }
        if console.verbosity == .verbose { interceptors += [ServerAlert(console: console), Logging(to: console)] }
    }
}

extension CommandRunner {
    /// Runs a command with the stock that the settings name.
    static func run(
        _ command: Command, _ options: GlobalOptions, _ settings: Settings, _ console: Console
    ) async throws -> ExitCode {
        let stock = Stock(try NetworkConfiguration(settings, console), bucket: settings.bucket)
        let runner = CommandRunner(
            stock: stock, place: settings.place, printsJSON: options.json, console: console)
        return try await runner.run(command)
    }
}

/// Hands on what a Kinto server has to say to its users, such as that it goes out of service.
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
