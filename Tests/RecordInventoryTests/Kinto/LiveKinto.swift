import RecordKit
import TestSupport
import XCTest

/// The live Kinto that tests may use. `RECORDKIT_KINTO_URL` is its URL, such as `http://127.0.0.1:8888/v1`.
/// `RECORDKIT_KINTO_USER` and `RECORDKIT_KINTO_PASSWORD` sign in.
struct LiveKinto: Sendable {
    struct Missing: Error, CustomStringConvertible {
        let description = "RECORDKIT_KINTO_URL is not set: no live Kinto was started"
    }

    let address: String
    let user: String
    let password: String

    var network: NetworkConfiguration {
        NetworkConfiguration(environment: NetworkEnvironment(address), headers: ["Authorization": authorization])
    }

    /// Returns the tool with the account. Writes the password to a file in the folder.
    func tool(_ folder: TemporaryFolder, bucket: String) throws -> Tool {
        Tool(store: folder.path("unused.sqlite"), environment: try environment(folder), options: ["--bucket", bucket])
    }

    /// Returns the environment variables of the account. Writes the password to a file in the folder.
    func environment(_ folder: TemporaryFolder) throws -> [String: String] {
        [
            "RECORD_INVENTORY_SERVER": address, "RECORD_INVENTORY_USER": user,
            "RECORD_INVENTORY_PASSWORD_FILE": try folder.write(password: password),
        ]
    }

    var authorization: String { "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())" }

    /// Returns `nil` if there is none, after it printed which tests are not run. Throws in continuous integration.
    ///
    /// - Parameter needsTransactions: whether the tests require PostgreSQL, which `RECORDKIT_KINTO_STORAGE` names.
    ///   Memory storage keeps a part of a refused batch.
    static func find(for purpose: String, needsTransactions: Bool = false) throws -> LiveKinto? {
        let environment = ProcessInfo.processInfo.environment
        guard let address = environment["RECORDKIT_KINTO_URL"] else {
            if environment["CI"] == "true" { throw Missing() }
            print("not run: \(purpose) against a live Kinto (RECORDKIT_KINTO_URL is not set)")
            return nil
        }
        if needsTransactions, environment["RECORDKIT_KINTO_STORAGE"] != "postgresql" {
            print("not run: \(purpose) against a Kinto without PostgreSQL (RECORDKIT_KINTO_STORAGE)")
            return nil
        }
        return LiveKinto(
            address: address, user: environment["RECORDKIT_KINTO_USER"] ?? "",
            password: environment["RECORDKIT_KINTO_PASSWORD"] ?? "")
    }
}
