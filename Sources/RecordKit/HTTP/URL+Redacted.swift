package import Foundation

extension URL {
    /// The address as it may be printed: no password, and `redacted` for the value of every secret query item.
    package func redacted(_ secretNames: Set<String>) -> String {
        var text = absoluteString
        // Nearly every address has neither, and looking at its Characters is slow.
        let isPlain = text.withUTF8 { !$0.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "?") } }
        if isPlain { return text }
        if user != nil || password != nil, let scheme = text.range(of: "//") {
            let authority = text[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            if let at = authority.lastIndex(of: "@") {
                text.replaceSubrange(authority.startIndex..<at, with: SecretNames.replacement)
            }
        }
        guard let mark = text.firstIndex(of: "?") else { return text }
        let afterMark = text[text.index(after: mark)...]
        let query = afterMark.prefix { $0 != "#" }
        let items = query.parts(between: "&").map { item -> String in
            guard let equals = item.firstIndex(of: "=") else { return String(item) }
            let name = item[..<equals]
            let decoded = name.removingPercentEncoding ?? String(name)
            return SecretNames(secretNames).isSecret(decoded) ? "\(name)=\(SecretNames.replacement)" : String(item)
        }
        return text[...mark] + items.joined(separator: "&") + afterMark[query.endIndex...]
    }
}
