/// Header fields in the order they were added: names without regard to case, several values to a name
/// (RFC 9110 section 5).
///
/// `print`, `dump` and the debugger show sensitive values redacted; see ``isSensitive(_:)``.
public struct HTTPHeaders: Sendable {
    /// The field lines, in order. Printing them prints sensitive values, too.
    public private(set) var fields: [Field]

    /// The names that are sensitive besides the well-known ones, in lower case.
    public private(set) var sensitiveNames: Set<String> = []

    /// Creates header fields in the order given.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// A field line for each entry, in the order of their names.
    public init(_ values: [String: String]) {
        fields = values.sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) }
    }

    /// The values of a name joined with `", "` (RFC 9110 section 5.3), nil when it is absent.
    /// Setting replaces every value of the name, in the place of the first; nil removes the name.
    public subscript(name: String) -> String? {
        get {
            var joined: String?
            for field in fields where Self.matches(field.name, name) {
                joined = joined.map { $0 + ", " + field.value } ?? field.value
            }
            return joined
        }
        set {
            guard let newValue else { return remove(name) }
            guard let first = index(of: name) else { return add(name, newValue) }
            fields[first] = Field(name: name, value: newValue)
            remove(name, from: first + 1)
        }
    }

    /// Every value of a name, one for each field line.
    public func values(for name: String) -> [String] {
        fields.compactMap { Self.matches($0.name, name) ? $0.value : nil }
    }

    public func contains(_ name: String) -> Bool {
        index(of: name) != nil
    }

    /// The first field line with this name, of those before `end` when it is given.
    func index(of name: String, before end: Int? = nil) -> Int? {
        for index in 0..<(end ?? fields.count) where Self.matches(fields[index].name, name) { return index }
        return nil
    }

    /// Adds a field line and keeps those that are there.
    public mutating func add(_ name: String, _ value: String) {
        add(Field(name: name, value: value))
    }

    private mutating func add(_ field: Field) {
        fields.append(field)
    }

    public mutating func remove(_ name: String) {
        remove(name, from: 0)
    }

    private mutating func remove(_ name: String, from start: Int) {
        var end = start
        for index in start..<fields.count where !Self.matches(fields[index].name, name) {
            if end < index { fields[end] = fields[index] }
            end += 1
        }
        fields.removeLast(fields.count - end)
    }

    /// Takes every name of `other` from `other`, and keeps the rest.
    public mutating func merge(_ other: HTTPHeaders) {
        if !other.fields.isEmpty {
            if !fields.isEmpty {
                fields.removeAll { other.contains($0.name) }
            }
            fields.append(contentsOf: other.fields)
        }
        if !other.sensitiveNames.isEmpty { sensitiveNames.formUnion(other.sensitiveNames) }
    }

    /// Field names are ASCII; comparing them so costs no allocation.
    static func matches(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && matchesAtLength(one, other)
    }

    /// Apart from the other, since the length alone tells most names apart.
    private static func matchesAtLength(_ one: String, _ other: String) -> Bool {
        var (one, other) = (one, other)
        return one.withUTF8 { one in
            other.withUTF8 { other in
                for index in 0..<one.count where one[index] != other[index] {
                    if lowercased(one[index]) != lowercased(other[index]) { return false }
                }
                return true
            }
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 65 && byte <= 90 ? byte | 0x20 : byte
    }
}

extension HTTPHeaders {
    /// Returns whether values of this name are redacted in descriptions, logs and recordings, and not sent to other
    /// origins by a redirect.
    ///
    /// A name is sensitive if it is well known for carrying a credential, such as `Authorization` and `Cookie`; if its
    /// last word is one such as `token`, `secret` or `password`; or if ``markSensitive(_:)`` added it. Well-known tokens that
    /// open nothing, such as `page_token`, are not. Case and the separators of words do not count: `apiKey` is `api-key`.
    public func isSensitive(_ name: String) -> Bool {
        SensitiveNames(sensitiveNames).isSensitive(name)
    }

    /// Makes further names sensitive, in these headers and in those they are merged into.
    public mutating func markSensitive(_ names: some Sequence<String>) {
        sensitiveNames.formUnion(names.lazy.map { $0.lowercased() })
    }

    /// Returns these headers without the sensitive ones.
    func withoutSensitiveFields() -> HTTPHeaders {
        let names = SensitiveNames(sensitiveNames)
        var headers = self
        headers.fields.removeAll { names.isSensitive($0.name) }
        return headers
    }

    /// The names of headers whose value is an address.
    private static let addresses = ["Location", "Content-Location", "Referer"]

    /// Returns these headers with `redacted` in place of each sensitive value, also in the addresses of `Location`,
    /// `Content-Location` and `Referer`.
    public func redacted() -> HTTPHeaders {
        let names = SensitiveNames(sensitiveNames)
        var headers = self
        headers.fields = fields.map { field in
            if names.isSensitive(field.name) { return Field(name: field.name, value: SensitiveNames.replacement) }
            guard Self.isAddress(field.name) else { return field }
            return Field(name: field.name, value: field.value.redactedAddress(sensitiveNames))
        }
        return headers
    }

    private static func isAddress(_ name: String) -> Bool { addresses.contains { matches($0, name) } }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// A value of nil leaves its name out.
    public init(dictionaryLiteral elements: (String, String?)...) {
        fields = elements.compactMap { name, value in value.map { Field(name: name, value: $0) } }
    }
}

extension HTTPHeaders: Hashable {
    /// Equal when every name has the same values in the same order; the order of the names and their case do not count.
    public static func == (one: HTTPHeaders, other: HTTPHeaders) -> Bool {
        one.fields.count == other.fields.count
            && one.fields.allSatisfy { one.values(for: $0.name) == other.values(for: $0.name) }
    }

    public func hash(into hasher: inout Hasher) {
        // A sum, as the order of the names does not count.
        var sum = 0
        for field in fields { sum &+= "\(field.name.lowercased()): \(field.value)".hashValue }
        hasher.combine(sum)
    }
}

extension HTTPHeaders: SelfDescribing {
    /// A line for each field.
    var text: String {
        redacted().fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    var shown: [(name: String, value: Any)] {
        redacted().fields.map { ($0.name, $0.value) }
    }
}
