import Foundation

/// The config file: a line `key = value` for each setting, and comments that begin with `#`.
struct ConfigFile: Equatable, Sendable {
    enum Key: String, CaseIterable, Sendable {
        case store, server, bucket, till, person, currency, columns
    }

    struct Entry: Equatable, Sendable {
        let value: String
        let line: Int
    }

    /// The path of the file, or `nil` if there is no place for one.
    let path: String?
    private(set) var entries: [Key: Entry] = [:]
    private var lines: [String] = []

    /// Creates an empty config.
    init(path: String? = nil) {
        self.path = path
    }

    /// Reads the config of the person. A missing file is an empty config.
    init(_ environment: [String: String]) throws(UsageError) {
        let folder = environment.folder("XDG_CONFIG_HOME", inHome: ".config")
        self.init(path: folder.map { $0 + "/record-inventory/config" })
        guard let path, FileManager.default.fileExists(atPath: path) else { return }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("\(path) cannot be read; check its permissions")
        }
        guard let text = String(data: data, encoding: .utf8) else { throw UsageError("\(path) is not UTF-8 text") }
        try read(text)
    }

    /// Returns the value of a key.
    subscript(key: Key) -> String? { entries[key]?.value }

    /// The place of a setting for messages: the file, the line and the key.
    func place(of key: Key) -> String { "\(path ?? ""), line \(entries[key]?.line ?? 0): \(key.rawValue)" }

    private mutating func read(_ text: String) throws(UsageError) {
        // Swift has one character for the line end of Windows.
        lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
        if lines.last == "" { lines.removeLast() }
        for (index, line) in lines.enumerated() {
            let place = "\(path ?? ""), line \(index + 1)"
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let sign = line.firstIndex(of: "=") else {
                throw UsageError("\(place): there is no \"=\"; write KEY = VALUE")
            }
            let name = line[..<sign].trimmingCharacters(in: .whitespaces)
            guard let key = Key(rawValue: name) else {
                let error = UnknownName("key", name, among: Key.allCases.map(\.rawValue))
                throw UsageError("\(place): \(UsageError(error).message)")
            }
            let value = line[line.index(after: sign)...].trimmingCharacters(in: .whitespaces)
            if value.isEmpty { throw UsageError("\(place): \(name) has no value; remove the line, or add one") }
            if let earlier = entries[key] {
                throw UsageError("\(place): \(name) is given twice, first in line \(earlier.line)")
            }
            entries[key] = Entry(value: value, line: index + 1)
        }
        if entries[.store] != nil, entries[.server] != nil {
            throw UsageError("\(place(of: .server)): there is a store too; keep one of them")
        }
    }

    /// Sets the value of a key, and writes the file. Other lines and comments stay.
    func set(_ key: Key, to value: String) throws {
        guard let path else { throw UsageError("there is no place for a config file, since HOME is not set") }
        var lines = lines
        let line = "\(key.rawValue) = \(value)"
        if let entry = entries[key] { lines[entry.line - 1] = line } else { lines.append(line) }
        // What is written must be readable.
        var changed = ConfigFile(path: path)
        let text = lines.joined(separator: "\n") + "\n"
        try changed.read(text)
        try OutputFile.write(text, to: path)
    }
}

extension [String: String] {
    /// Returns the folder of a variable, or one in the home folder. `nil` without a home folder.
    ///
    /// Ignores a relative path in the variable, as the XDG base directory specification requires.
    func folder(_ variable: String, inHome name: String) -> String? {
        if let folder = self[variable], folder.hasPrefix("/") { return folder }
        return self["HOME"].flatMap { $0.isEmpty ? nil : "\($0)/\(name)" }
    }
}
