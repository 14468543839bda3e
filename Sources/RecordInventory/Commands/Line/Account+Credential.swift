import Foundation
import RecordKitInterceptors

extension Settings.Account {
    /// Reads the password from its source. Removes a byte-order mark before it and one line end after it.
    func credential(from console: Console) throws -> Credential {
        var password: String
        switch passwordSource {
        case .file(let path):
            password = try line(of: path)
        case .standardInput where console.input.isTerminal:
            guard let answer = try console.askSecretly("Password of \(user): ") else {
                let reason =
                    console.allowsInput
                    ? "standard error is no terminal: leave standard error as it is"
                    : "--no-input forbids questions: leave it out"
                throw CommandFailure(
                    .failed,
                    "the password of \(user) cannot be asked for, since \(reason), pipe the password in, or set "
                        + "RECORD_INVENTORY_PASSWORD_FILE")
            }
            password = answer
        case .standardInput:
            password = try console.nextLine() ?? ""
        }
        if password.unicodeScalars.first == "\u{FEFF}" { password.unicodeScalars.removeFirst() }
        // Decoding replaced bytes that are not UTF-8 with U+FFFD.
        guard !password.unicodeScalars.contains("\u{FFFD}") else {
            throw CommandFailure(.failed, "the password of \(user) is not UTF-8 text: save or send it as UTF-8")
        }
        guard !password.isEmpty else { throw CommandFailure(.failed, "the password of \(user) is empty") }
        return .basic(user: user, password: password)
    }

    /// Returns the first line of a file, which may be a pipe.
    private func line(of path: String) throws -> String {
        do {
            guard let file = Descriptor(opening: path, O_RDONLY) else {
                throw FileError(path: path, action: .read, code: errno)
            }
            // A pipe or a device has no secret of its own.
            var status = stat()
            if fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
                throw CommandFailure(
                    .failed,
                    "the password file \(path.printable) can be read by others: make it yours alone with "
                        + "`chmod 600 \(path.printable)`")
            }
            var lines = LineReader(.descriptor(file.number))
            return try withExtendedLifetime(file) { try lines.next() ?? "" }
        } catch let error as FileError {
            let named = FileError(path: path, action: .read, code: error.code)
            throw CommandFailure(.failed, "the password of \(user): \(named)")
        }
    }
}
