import Foundation

/// A path with wildcards: `*` matches any characters within a segment, `**` any number of segments.
///
/// `/a/` and `//a` have an empty segment. They differ from `/a`, as they do for a server.
struct PathPattern: Sendable {
    private let segments: [String]

    init(_ path: some StringProtocol) {
        segments = Self.segments(of: path)
    }

    func matches(_ path: String) -> Bool {
        Self.matches(segments[...], Self.segments(of: path)[...])
    }

    /// Returns whether two paths are equal, regardless of unnecessary percent-encoding.
    static func isSame(_ one: String, _ other: String) -> Bool {
        one == other || segments(of: one).hasSameBytes(as: segments(of: other))
    }

    /// Returns the number of segments in which a path differs.
    func distance(to path: String) -> Int {
        let path = Self.segments(of: path)
        let differing = zip(segments, path).count { !Wildcard.matches($0, $1) }
        return differing + abs(segments.count - path.count)
    }

    /// Returns the segments, percent-decoded one by one, so that an encoded slash stays in its segment.
    private static func segments(of path: some StringProtocol) -> [String] {
        path.dropFirst(path.hasPrefix("/") ? 1 : 0).split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.removingPercentEncoding ?? String($0) }
    }

    private static func matches(_ pattern: ArraySlice<String>, _ path: ArraySlice<String>) -> Bool {
        guard let first = pattern.first else { return path.isEmpty }
        let rest = pattern.dropFirst()
        if first == "**" {
            return path.indices.contains { matches(rest, path[$0...]) } || matches(rest, [])
        }
        guard let segment = path.first else { return false }
        // A path that ends with a slash has no segment for `*`.
        return first.isEmpty == segment.isEmpty && Wildcard.matches(first, segment) && matches(rest, path.dropFirst())
    }
}

extension [String] {
    /// Returns whether the strings have the same bytes. Two ways to write é are equal strings in Swift, but not for a
    /// server.
    func hasSameBytes(as other: [String]) -> Bool {
        elementsEqual(other) { $0.utf8.elementsEqual($1.utf8) }
    }
}

/// Matches strings with a pattern in which `*` stands for any characters.
enum Wildcard {
    static func matches(_ pattern: String, _ text: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return pattern == text }
        guard text.count >= first.count + last.count, text.hasPrefix(first), text.hasSuffix(last) else { return false }
        var rest = text.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}
