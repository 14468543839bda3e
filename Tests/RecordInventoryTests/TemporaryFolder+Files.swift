import Foundation
import TestSupport

extension TemporaryFolder {
    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ bytes: some Sequence<UInt8>, to name: String = "file.csv") throws -> String {
        try file(name, Data(bytes)).path
    }

    /// Writes a password to a file that only this user can read. The tool refuses any other.
    func write(password: String) throws -> String {
        let file = try write("\(password)\n".utf8, to: "password-\(UUID().uuidString)")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        return file
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
