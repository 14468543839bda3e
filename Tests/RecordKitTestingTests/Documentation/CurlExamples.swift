import Foundation
import RecordKit
import RecordKitCurl
import RecordKitInterceptors

// The snippets of the articles on the transport over libcurl.

func sendWithCurl(_ environment: NetworkEnvironment) -> NetworkConfiguration {
    let configuration = NetworkConfiguration(
        environment: environment, transport: CurlTransport())
    return configuration
}

func makeServerSession() -> NetworkSession {
    let network = NetworkSession(
        environment: "https://store.example/v1", transport: CurlTransport(),
        interceptors: [RetryInterceptor()])
    return network
}

func chooseTransport(_ configuration: inout NetworkConfiguration) {
    #if os(Linux)
    configuration.transport = CurlTransport()
    #endif
}

func trustOneServer() -> CurlTransport {
    var options = CurlTransport.Options()
    options.tls.authorities = URL(filePath: "/etc/till/authority.pem")
    options.tls.pins = ["r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="]
    options.tls.clientCertificate = .init(
        certificate: URL(filePath: "/etc/till/till.pem"),
        key: URL(filePath: "/etc/till/till.key"))
    options.tls.minimumVersion = .tls13
    let transport = CurlTransport(options)
    return transport
}

func chooseConnections(_ password: String) -> CurlTransport {
    var options = CurlTransport.Options()
    options.proxy = .server(
        "http://proxy.example:3128", user: "till", password: password,
        exceptions: ["store.example"])
    options.addresses = ["store.example:443": ["192.0.2.1"]]
    options.interface = "eth1"
    return CurlTransport(options)
}

func useSocket() -> NetworkConfiguration {
    var options = CurlTransport.Options()
    options.unixSocket = "/run/docker.sock"
    let docker = NetworkConfiguration(
        environment: NetworkEnvironment("http://docker/v1.43"),
        transport: CurlTransport(options))
    return docker
}

/// A slow writer.
protocol Tape {
    func write(_ chunk: Data) async throws
}

func copy(_ stream: NetworkBytes, to tape: any Tape) async throws {
    for try await chunk in stream {
        try await tape.write(chunk)
    }
}
