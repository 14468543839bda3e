import RecordKit

/// One word of a POSIX shell: text, and variables for sensitive values.
struct ShellWord {
    private(set) var text = ""

    mutating func append(plain: String) {
        if !plain.isEmpty { text += Self.quoted(plain) }
    }

    mutating func append(variable: String) {
        text += "\"$\(variable)\""
    }

    /// Quoted also where it need not be.
    static func quoted(_ text: String) -> String {
        // Byte by byte: a quotation mark with an accent is another character to Swift, and the same to a shell.
        var bytes = [UInt8(ascii: "'")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") { bytes += Array("'\\'".utf8) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "'")], as: UTF8.self)
    }
}

/// The names of the shell variables for sensitive values: `AUTHORIZATION` for the header of that name.
struct ShellVariables {
    private var taken: Set<String> = []

    /// A name that no other variable has.
    mutating func name(for field: String) -> String {
        var name = String(
            decoding: field.uppercased().utf8.map { Self.plain.contains($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        if name.first.map({ !$0.isLetter }) ?? true || Self.ofShell.contains(name) { name = "VALUE_\(name)" }
        var candidate = name
        var number = 1
        while !taken.insert(candidate).inserted {
            number += 1
            candidate = "\(name)_\(number)"
        }
        return candidate
    }

    private static let plain = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_".utf8)

    /// Set already, or to be left alone.
    private static let ofShell: Set<String> = [
        "PATH", "HOME", "IFS", "ENV", "PWD", "OLDPWD", "SHELL", "USER", "LOGNAME", "LANG", "TERM", "PS1", "PS2", "PS4",
        "CDPATH", "UID", "PPID", "OPTARG", "OPTIND", "MAIL", "TMPDIR", "RANDOM",
    ]
}
