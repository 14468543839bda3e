/// Suggests a word for a mistyped one.
enum Spelling {
    /// Returns the nearest of the words. At most a third of its letters may be wrong, missing, added or swapped.
    static func nearest(to word: String, in words: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let word = word.lowercased()
        let ranked = words.map { (word: $0, distance: distance(word, $0.lowercased())) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.word.count / 3) ? best.word : nil
    }

    /// Returns the number of letters to change, add, remove or swap with a neighbor (optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let change = previous[column] + (left[row] == right[column] ? 0 : 1)
                var cost = min(change, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            before = previous
            previous = current
        }
        return previous[right.count]
    }
}

/// The error for a name that does not exist, with a suggestion.
struct UnknownName: Error, Equatable, CustomStringConvertible {
    let description: String

    /// - Parameter meant: The name that is suggested, or `nil` for the most similar.
    init(_ kind: String, _ name: String, among names: [String], prefix: String = "", meant: String? = nil) {
        let meant = meant ?? Spelling.nearest(to: name, in: names)
        let hint = meant.map { "; did you mean \(prefix)\($0)?" } ?? ""
        description = "there is no \(kind) \"\((prefix + name).shown)\"\(hint)"
    }
}
