import RecordKit

nonisolated struct Repository: Decodable {
    var name: String
    var description: String?
}

struct RepositoryRequest: NetworkRequest {
    typealias ValueType = Repository

    let owner: String
    let name: String

    var path: RequestPath { "repos/\(owner)/\(name)" }
}

let server = CommandLine.arguments.dropFirst().first
let network = NetworkSession(
    environment: NetworkEnvironment(server ?? "https://api.github.com"))

do {
    let request = RepositoryRequest(owner: "swiftlang", name: "swift")
    let repository = try await network.value(for: request)
    print("\(repository.name): \(repository.description ?? "")")
} catch {
    switch error {
    case .status(let response): print("The status is \(response.statusCode).")
    default: print(error)
    }
}
