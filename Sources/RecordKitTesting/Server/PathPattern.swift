import Foundation

/// A path with wildcards: `*` for anything within a segment, `**` for any number of segments.
///
/// `/a/` and `//a` have an empty segment, and are other paths than `/a`, as they are to a server.
struct PathPattern: Sendable {
    private let segments: [String]

    init(_ path: some StringProtocol) {
        segments = Self.segments(of: path)
    }

    func matches(_ path: String) -> Bool {
        Self.matches(segments[...], Self.segments(of: path)[...])
    }

    /// Whether two paths are the same, whatever of them is percent-encoded that need not be.
    static func isSame(_ one: String, _ other: String) -> Bool {
        one == other || segments(of: one).hasSameBytes(as: segments(of: other))
    }

    /// What two paths that are the same have in common.
    static func key(of path: String) -> [[UInt8]] {
        segments(of: path).map { Array($0.utf8) }
    }

    /// In how many places a path differs, to tell near from far.
    func distance(to path: String) -> Int {
        let path = Self.segments(of: path)
        let differing = zip(segments, path).count { !Wildcard.matches($0, $1) }
        return differing + abs(segments.count - path.count)
    }

    /// Percent-decoded one by one, so that an encoded slash stays within its segment.
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
        // A path that ends with a slash lacks the segment that `*` stands for.
        return first.isEmpty == segment.isEmpty && Wildcard.matches(first, segment) && matches(rest, path.dropFirst())
    }
}

extension [String] {
    /// Two ways to write é, which are one text to `==`, are two to a server.
    func hasSameBytes(as other: [String]) -> Bool {
        elementsEqual(other) { $0.utf8.elementsEqual($1.utf8) }
    }
}

/// Text in which `*` stands for anything.
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
