import Foundation

/// The account that signs requests. It never prints its password.
struct Credentials: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    let user: String
    let password: String

    var description: String { "Credentials(user: \(user))" }
    var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}

extension Settings.Account {
    /// Reads the password from where it lies. One line end after it is not part of it.
    func credentials(from console: Console) throws -> Credentials {
        let password: String
        switch passwordSource {
        case .file(let path):
            do {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                password = String(decoding: bytes, as: UTF8.self).firstLine
            } catch {
                let reason = error.localizedDescription
                throw CommandFailure(.failed, "cannot read the password from \(path): \(reason)")
            }
        case .standardInput where console.input.isTerminal:
            password = try console.askSecretly("Password of \(user): ") ?? ""
        case .standardInput:
            password = try console.input.line() ?? ""
        }
        guard !password.isEmpty else { throw CommandFailure(.failed, "the password of \(user) is empty") }
        return Credentials(user: user, password: password)
    }
}

extension String {
    fileprivate var firstLine: String {
        String(prefix { !$0.isNewline })
    }
}
