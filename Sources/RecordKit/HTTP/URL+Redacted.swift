package import Foundation

extension URL {
    /// What an address consists of that has no user, no query and no fragment.
    private static let plain = ByteSet.unreserved.union("!$&'()*+,;=").union("%:/[]")

    /// The address as it may be printed: no password, and `redacted` for the value of every secret item of its query
    /// and its fragment.
    package func redacted(_ secretNames: Set<String>) -> String {
        var text = absoluteString
        // Nearly every address has neither, and looking at its Characters is slow.
        if Self.plain.containsAll(of: text) { return text }
        if user != nil || password != nil, let scheme = text.range(of: "//") {
            let authority = text[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            if let at = authority.lastIndex(of: "@") {
                text.replaceSubrange(authority.startIndex..<at, with: SecretNames.replacement)
            }
        }
        guard let mark = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text }
        func redacted(_ item: Substring) -> String {
            guard let equals = item.firstIndex(of: "=") else { return String(item) }
            let name = item[..<equals]
            let decoded = name.removingPercentEncoding ?? String(name)
            return SecretNames(secretNames).isSecret(decoded) ? "\(name)=\(SecretNames.replacement)" : String(item)
        }
        let parts = text[text.index(after: mark)...].parts(between: "#").map { part in
            part.parts(between: "&").map(redacted).joined(separator: "&")
        }
        return text[...mark] + parts.joined(separator: "#")
    }
}
