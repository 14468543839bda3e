/// A value in an address or a body that stands under a sensitive name.
struct SensitiveValue {
    /// Where it is, counted in bytes.
    var range: Range<Int>
    var name: String

    /// Returns the values in an address: those of sensitive items of its query and of its fragment, and all that stands
    /// before the host.
    static func all(inAddress bytes: [UInt8], _ names: SensitiveNames) -> [SensitiveValue] {
        var found: [SensitiveValue] = []
        let pathEnd = bytes.firstIndex(where: ByteSet.pathEnds.contains) ?? bytes.count
        if let start = startOfAuthority(in: bytes[..<pathEnd]) {
            let authority = bytes[start..<pathEnd].prefix { $0 != UInt8(ascii: "/") }
            if let at = authority.lastIndex(of: UInt8(ascii: "@")), at > start {
                found.append(SensitiveValue(range: start..<at, name: "credentials"))
            }
        }
        // Behind the first # there is only the fragment.
        for part in bytes[pathEnd...].split(separator: UInt8(ascii: "#"), maxSplits: 1) {
            found += all(inFields: part.first == UInt8(ascii: "?") ? part.dropFirst() : part, names)
        }
        return found
    }

    private static func startOfAuthority(in path: ArraySlice<UInt8>) -> Int? {
        if path.starts(with: "//".utf8) { return 2 }
        guard let colon = path.firstIndex(of: UInt8(ascii: ":")), path[colon...].starts(with: "://".utf8) else {
            return nil
        }
        return colon + 3
    }

    /// Returns the values of sensitive fields in a form or a query.
    static func all(inFields bytes: ArraySlice<UInt8>, _ names: SensitiveNames) -> [SensitiveValue] {
        bytes.split(separator: UInt8(ascii: "&")).compactMap { field in
            guard let equals = field.firstIndex(of: UInt8(ascii: "=")), equals + 1 < field.endIndex else { return nil }
            let name = PercentEncoding.decoded(field[..<equals])
            return names.isSensitive(name) ? SensitiveValue(range: equals + 1..<field.endIndex, name: name) : nil
        }
    }
}

/// A part of an address or a body: bytes that may be printed, or the value of a sensitive name.
package enum RedactedPart {
    case plain(ArraySlice<UInt8>)
    case sensitive(name: String, value: ArraySlice<UInt8>)

    /// Returns the parts of a body of JSON or of a form, or `nil` for any other type.
    ///
    /// - Parameter added: the names that are sensitive besides the well-known ones.
    package static func all(in body: [UInt8], _ type: MediaType?, sensitive added: Set<String>) -> [RedactedPart]? {
        let names = SensitiveNames(added)
        // JSON is UTF-8 (RFC 8259 section 8.1); a zero byte is a sign of UTF-16 or UTF-32.
        if type?.isJSON == true, !body.contains(0) { return all(in: body, JSONFields(body, names).found) }
        if type?.isForm == true { return all(in: body, SensitiveValue.all(inFields: body[...], names)) }
        return nil
    }

    /// Returns the parts of an address.
    static func all(inAddress address: String, _ names: SensitiveNames) -> [RedactedPart] {
        let bytes = Array(address.utf8)
        return all(in: bytes, SensitiveValue.all(inAddress: bytes, names))
    }

    private static func all(in bytes: [UInt8], _ values: [SensitiveValue]) -> [RedactedPart] {
        var parts: [RedactedPart] = []
        var end = 0
        for value in values {
            if value.range.lowerBound > end { parts.append(.plain(bytes[end..<value.range.lowerBound])) }
            parts.append(.sensitive(name: value.name, value: bytes[value.range]))
            end = value.range.upperBound
        }
        if end < bytes.count { parts.append(.plain(bytes[end...])) }
        return parts
    }
}

extension [RedactedPart] {
    /// The parts in one string, sensitive values redacted.
    var text: String {
        var bytes: [UInt8] = []
        for part in self {
            switch part {
            case .plain(let plain): bytes += plain
            case .sensitive: bytes += Array<UInt8>(SensitiveNames.replacement.utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
