import Foundation
import RecordKit

extension NetworkConfiguration {
    /// For the store or the server that the settings name. Both answer the same requests.
    init(_ settings: Settings, _ console: Console) throws {
        switch settings.place {
        case .store(let path):
            let file = URL(filePath: path, directoryHint: .notDirectory)
            self.init(
                environment: NetworkEnvironment(host: "embedded.invalid", version: "v1"),
                transport: EmbeddedTransport(EmbeddedStore(file: file)),
                options: RequestOptions(sizeLimit: .max))
            console.detail("The stock is in \(path).")
        case .server(let address):
            self.init(
                environment: NetworkEnvironment(address),
                headers: try settings.account.map { ["Authorization": try $0.credentials(from: console).basic] } ?? [:],
                options: RequestOptions(timeout: .seconds(30)))
            console.detail("The stock is on \(address), signed in as \(settings.account?.user ?? "nobody").")
        }
        interceptors = [CallTrace(console: console)]
    }
}

extension Credentials {
    /// Basic authentication in UTF-8 (RFC 7617 section 2.1).
    fileprivate var basic: String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}
