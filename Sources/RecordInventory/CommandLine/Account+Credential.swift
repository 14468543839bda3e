import Foundation
import RecordKit

extension Settings.Account {
    /// Reads the password from where it lies. One line end after it is not part of it.
    func credential(from console: Console) throws -> Credential {
        let password: String
        switch passwordSource {
        case .file(let path):
            password = try line(of: path)
        case .standardInput where console.input.isTerminal:
            password = try console.askSecretly("Password of \(user): ") ?? ""
        case .standardInput:
            password = try console.input.line() ?? ""
        }
        guard !password.isEmpty else { throw CommandFailure(.failed, "the password of \(user) is empty") }
        return .basic(user: user, password: password)
    }

    /// The first line of a file, which may be a pipe.
    private func line(of path: String) throws -> String {
        do {
            guard let file = Descriptor(opening: path, O_RDONLY) else {
                throw FileError(path: path, action: .read, code: errno)
            }
            return try withExtendedLifetime(file) { try Input.descriptor(file.number).line() ?? "" }
        } catch let error as FileError {
            let named = FileError(path: path, action: .read, code: error.code)
            throw CommandFailure(.failed, "the password of \(user): \(named)")
        }
    }
}
