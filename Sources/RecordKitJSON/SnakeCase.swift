import Foundation

/// The names of members in camel case and snake case, converted as Foundation does.
enum SnakeCase {
    /// `first_name` becomes `firstName`. Underscores at the beginning and end are kept.
    static func camelCase(_ name: String) -> String {
        guard let first = name.firstIndex(where: { $0 != "_" }), let last = name.lastIndex(where: { $0 != "_" }) else {
            return name
        }
        let words = name[first...last].split(separator: "_")
        guard words.count > 1 else { return name }
        let joined = words[0].lowercased() + words[1...].map { $0.capitalized }.joined()
        return name[..<first] + joined + name[name.index(after: last)...]
    }

    /// `firstName` becomes `first_name`, and `myURLPath` becomes `my_url_path`.
    static func snakeCase(_ name: String) -> String {
        var words: [Substring] = []
        var start = name.startIndex
        var search = name.isEmpty ? start : name.index(after: start)
        while let upper = name[search...].firstIndex(where: \.isUppercase) {
            words.append(name[start..<upper])
            start = upper
            let lower = name[name.index(after: upper)...].firstIndex(where: \.isLowercase)
            guard let lower else { break }
            // A run of capitals is a word, without the last, which begins the next word.
            let last = name.index(before: lower)
            if last > upper {
                words.append(name[start..<last])
                start = last
            }
            search = lower
        }
        words.append(name[start...])
        return words.map { $0.lowercased() }.joined(separator: "_")
    }
}
