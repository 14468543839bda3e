import Foundation
import RecordKit

/// Parsing of field values, as tolerant as a cache has to be.
enum FieldValue {
    /// Returns the members of a list (RFC 9110 section 5.6.1), trimmed and without empty ones. Doesn't split quoted
    /// strings, unless a quote is never closed: it must not hide the directives after it.
    ///
    /// - Parameters:
    ///   - value: The value of the field.
    ///   - hasEscapes: Whether a backslash in a quoted string escapes the next character. In an entity tag, it doesn't.
    static func members(of value: String, hasEscapes: Bool = true) -> [Substring] {
        // Saves the search in most values.
        if !value.utf8.contains(UInt8(ascii: ",")) { return [trimmed(value[...])].filter { !$0.isEmpty } }
        return members(of: value, hasQuotes: true, hasEscapes) ?? members(of: value, hasQuotes: false, hasEscapes) ?? []
    }

    /// Returns the members, or `nil` if a quote isn't closed.
    private static func members(of value: String, hasQuotes: Bool, _ hasEscapes: Bool) -> [Substring]? {
        var members: [Substring] = []
        var start = value.startIndex
        var (isQuoted, isEscaped) = (false, false)
        func add(upTo end: String.Index) {
            let member = trimmed(value[start..<end])
            if !member.isEmpty { members.append(member) }
        }
        for index in value.utf8.indices {
            switch value.utf8[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted && hasEscapes: isEscaped = true
            case UInt8(ascii: "\"") where hasQuotes: isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                add(upTo: index)
                start = value.utf8.index(after: index)
            default: break
            }
        }
        if isQuoted { return nil }
        add(upTo: value.endIndex)
        return members
    }

    /// Returns a substring without leading and trailing spaces and tabs.
    static func trimmed(_ text: Substring) -> Substring {
        var rest = text
        while let first = rest.utf8.first, first == 32 || first == 9 { rest.removeFirst() }
        while let last = rest.utf8.last, last == 32 || last == 9 { rest.removeLast() }
        return rest
    }

    /// Returns a number of seconds, at most 2^31 (RFC 9111 section 1.2.2). `nil` if the text isn't only digits.
    static func seconds(_ text: some StringProtocol) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        return min(Double(text) ?? 0, 2_147_483_648)
    }

    /// Returns the date in a field, in any letter case (RFC 9110 section 5.6.7). `nil` if it isn't valid.
    static func date(_ text: String, now: Date) -> Date? {
        if let date = HTTPDate(text, now: now) { return date.date }
        let words = text.lowercased().split(separator: " ", omittingEmptySubsequences: false).map { word in
            word == "gmt" ? "GMT" : word.split(separator: "-").map { $0.capitalized }.joined(separator: "-")
        }
        return HTTPDate(words.joined(separator: " "), now: now)?.date
    }

    /// Returns whether two entity tags match by the weak comparison (RFC 9110 section 8.8.3.2).
    static func matchesWeakly(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
        opaque(one) == opaque(other)
    }

    /// Returns whether an entity tag is strong.
    static func isStrong(_ tag: some StringProtocol) -> Bool { !tag.hasPrefix("W/") }

    private static func opaque<Text: StringProtocol>(_ tag: Text) -> Text.SubSequence {
        isStrong(tag) ? tag[...] : tag.dropFirst(2)
    }
}

/// The directives of `Cache-Control` (RFC 9111 section 5.2).
struct CacheControl: Sendable {
    private var directives: [(name: String, value: String?)] = []

    /// Parses the values of the field. The first of several directives with one name counts (RFC 9111 section 4.2.1).
    init(_ value: String?) {
        guard let value else { return }
        for member in FieldValue.members(of: value) {
            let end = member.utf8.firstIndex(of: UInt8(ascii: "=")) ?? member.endIndex
            let value = end == member.endIndex ? nil : Self.unquoted(member[end...].dropFirst())
            directives.append((member[..<end].lowercased(), value))
        }
    }

    /// Returns whether there is a directive of this name, with a value or without.
    func has(_ name: String) -> Bool {
        directives.contains { $0.name == name }
    }

    /// Returns whether there is a directive of this name without a value.
    func hasPlain(_ name: String) -> Bool {
        directives.contains { $0.name == name && $0.value == nil }
    }

    /// Returns the field names in the values of all `no-cache` directives, or `nil` if one has none: then it applies to
    /// the whole response (RFC 9111 section 5.2.2.4).
    var uncachedNames: [String]? {
        var names: [String] = []
        for directive in directives where directive.name == "no-cache" {
            let members = directive.value.map { FieldValue.members(of: $0) } ?? []
            if members.isEmpty { return nil }
            names += members.map(String.init)
        }
        return names
    }

    /// Returns the value of a directive.
    func value(of name: String) -> String? {
        for directive in directives where directive.name == name { return directive.value }
        return nil
    }

    /// Returns the seconds of a directive, zero if they aren't valid, or `nil` without the directive.
    ///
    /// An invalid lifetime makes a response stale (RFC 9111 section 4.2.1).
    func seconds(of name: String) -> Double? {
        has(name) ? value(of: name).flatMap { FieldValue.seconds($0) } ?? 0 : nil
    }

    private static func unquoted(_ text: Substring) -> String {
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return String(text) }
        return String(text.dropFirst().dropLast()).replacing("\\", with: "")
    }
}
