/// The header fields of a request or a response (RFC 9110 section 5).
///
/// Keeps the order in which fields are added. Names are case-insensitive, and a name may have several values. The
/// elements of the collection are the field lines.
///
/// `print`, `dump` and the debugger redact sensitive values. See ``isSensitive(_:)-(String)``.
public struct HTTPHeaders: Sendable {
    /// The field lines, in order.
    private(set) var fields: [Field]

    /// The lowercased names that are sensitive in addition to the well-known ones.
    public private(set) var sensitiveNames: Set<String> = []

    /// Creates header fields in the order given.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Creates header fields from a dictionary, sorted by name.
    public init(_ values: [String: String]) {
        fields = values.sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) }
    }

    /// The values of a name joined with `", "` (RFC 9110 section 5.3), or `nil` if there is none.
    ///
    /// Setting it replaces all values of the name, at the position of the first. Setting `nil` removes them.
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
            remove(name)
            fields.insert(Field(name: name, value: newValue), at: first)
        }
    }

    /// Returns the values of a name, one for each field line.
    public func values(for name: String) -> [String] {
        fields.compactMap { Self.matches($0.name, name) ? $0.value : nil }
    }

    /// Returns whether there is a field line with this name.
    public func contains(_ name: String) -> Bool {
        index(of: name) != nil
    }

    /// Returns the index of the first field line with this name. Searches only the lines before `end`, if given.
    func index(of name: String, before end: Int? = nil) -> Int? {
        for index in 0..<(end ?? fields.count) where Self.matches(fields[index].name, name) { return index }
        return nil
    }

    /// Adds a field line. Keeps other values of the name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Removes all field lines with this name.
    mutating func remove(_ name: String) {
        fields.removeAll { Self.matches($0.name, name) }
    }

    /// Adds the fields of `other`. For a name that both have, only the values of `other` remain.
    ///
    /// Sensitive names are merged, too.
    public mutating func merge(_ other: HTTPHeaders) {
        if !other.fields.isEmpty {
            if !fields.isEmpty {
                fields.removeAll { other.contains($0.name) }
            }
            fields.append(contentsOf: other.fields)
        }
        if !other.sensitiveNames.isEmpty { sensitiveNames.formUnion(other.sensitiveNames) }
    }

    /// Returns whether two field names are equal, ignoring ASCII case. Doesn't allocate.
    static func matches(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && matchesAtLength(one, other)
    }

    /// Compares names of equal length. A separate function, so that the check of the length can be inlined.
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

    /// Returns the lowercase letter of an ASCII capital, or the byte itself.
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 65 && byte <= 90 ? byte | 0x20 : byte
    }
}

extension HTTPHeaders {
    /// Returns whether values of this name are sensitive.
    ///
    /// Sensitive values are redacted in descriptions, logs and recordings. A redirect doesn't send them to another
    /// origin.
    ///
    /// A name is sensitive in any of these cases:
    /// - It is well known for carrying a credential, such as `Authorization` or `Cookie`.
    /// - Its last word is one such as `token`, `secret`, `password`, `signature` or `auth`. Well-known names that grant
    ///   no access, such as `page_token`, are excluded.
    /// - ``markSensitive(_:)`` added it, or the words at its end: `till` includes `X-Till`.
    ///
    /// Case and word separators are ignored: `apiKey` is the same name as `api-key`.
    public func isSensitive(_ name: String) -> Bool {
        SensitiveNames(sensitiveNames).isSensitive(name)
    }

    /// Returns whether the value of a field line is sensitive, according to its name. See ``isSensitive(_:)-(String)``.
    ///
    /// This costs less than ``isSensitive(_:)-(String)``: a field line remembers whether its name is well known.
    ///
    /// - Parameter field: One of the field lines.
    public func isSensitive(_ field: Field) -> Bool {
        field.isWellKnownSensitive || !sensitiveNames.isEmpty && isSensitive(field.name)
    }

    /// Adds sensitive names. They also apply to headers that these are merged into.
    public mutating func markSensitive(_ names: some Sequence<String>) {
        sensitiveNames.formUnion(names.lazy.map { $0.lowercased() })
    }

    /// Returns these headers without the sensitive fields.
    func withoutSensitiveFields() -> HTTPHeaders {
        var headers = self
        headers.fields.removeAll { isSensitive($0) }
        return headers
    }

    /// Returns these headers with sensitive values replaced by `redacted`.
    ///
    /// Also redacts the URLs in any other field, such as `Location`, `Link` and `Refresh`. See
    /// `URL.redacted(_:)`.
    public func redacted() -> HTTPHeaders {
        var headers = self
        headers.fields = fields.map { field in
            if isSensitive(field) { return Field(name: field.name, value: SensitiveNames.replacement) }
            let value = field.value.redactedAddresses(sensitiveNames)
            return value == field.value ? field : Field(name: field.name, value: value)
        }
        return headers
    }
}

extension HTTPHeaders: RandomAccessCollection {
    /// The position of the first field line: zero.
    public var startIndex: Int { 0 }

    /// The number of field lines.
    public var endIndex: Int { fields.count }

    /// The field line at a position. Printing it doesn't redact a sensitive value.
    public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates header fields from a dictionary literal. Omits names whose value is `nil`.
    public init(dictionaryLiteral elements: (String, String?)...) {
        fields = elements.compactMap { name, value in value.map { Field(name: name, value: $0) } }
    }
}

extension HTTPHeaders: Hashable {
    /// Returns whether each name has the same values in the same order.
    ///
    /// Ignores the order of the names, and their case.
    public static func == (one: HTTPHeaders, other: HTTPHeaders) -> Bool {
        one.fields.count == other.fields.count
            && one.fields.allSatisfy { one.values(for: $0.name) == other.values(for: $0.name) }
    }

    /// Hashes the fields without regard to the order of names.
    public func hash(into hasher: inout Hasher) {
        // A sum is independent of the order.
        var sum = 0
        for field in fields { sum &+= "\(field.name.lowercased()): \(field.value)".hashValue }
        hasher.combine(sum)
    }
}

extension HTTPHeaders: SelfDescribing {
    /// The redacted fields, each on a line.
    var text: String {
        redacted().fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    /// The redacted fields.
    var shown: [(name: String, value: Any)] {
        redacted().fields.map { ($0.name, $0.value) }
    }
}
