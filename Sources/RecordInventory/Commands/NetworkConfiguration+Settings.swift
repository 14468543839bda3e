import Foundation
import RecordKit
import RecordKitInterceptors

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
            interceptors = [RetryInterceptor(ceiling: longestWait)]
            if let account = settings.account {
                interceptors.append(
                    AuthorizationInterceptor(try account.credential(from: console), for: .origin(address)))
            }
            interceptors.append(RateLimitInterceptor(longestWait: longestWait))
            console.detail("The stock is on \(address), signed in as \(settings.account?.user ?? "nobody").")
        }
        if console.verbosity == .verbose {
            interceptors += [ServerAlert(console: console), LoggingInterceptor(to: console)]
        }
    }
}

extension URL {
    /// The file of a store as it is opened: a `~` at the start of its path is the home folder.
    init(storePath path: String) {
        self.init(filePath: path, directoryHint: .notDirectory)
    }
}
