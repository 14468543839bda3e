import Foundation

/// Where a credential may go.
///
/// A string literal is an origin: `"https://api.store.example"`.
public struct CredentialScope: Sendable, Hashable {
    private enum Rule: Sendable, Hashable {
        case origin(String)
        case domain(String)
    }

    private let rule: Rule?
    /// What is wrong with it, told by the first call.
    let problem: String?

    private init(_ rule: Rule?, otherwise problem: String) {
        self.rule = rule
        self.problem = rule == nil ? problem : nil
    }

    /// Scheme, host and port of an http or https address (RFC 6454); its path does not count.
    public static func origin(_ address: String) -> CredentialScope {
        let url = URL(string: address)
        let isOrigin = ["http", "https"].contains(url?.scheme?.lowercased()) && url?.host()?.isEmpty == false
        return CredentialScope(
            isOrigin ? url.map { .origin($0.origin) } : nil,
            otherwise: "\(quoted(address)) is no origin; one looks like https://api.store.example")
    }

    /// A host and all hosts below it, by https on its usual port.
    public static func domain(_ name: String) -> CredentialScope {
        let host = (URL(string: "https://\(name)/")?.origin.dropFirst(8).dropLast(4)).map { String($0) }
        let labels = (host ?? "").split(separator: ".", omittingEmptySubsequences: false)
        // The last label of an address is a number.
        let isDomain =
            labels.count > 1 && labels.allSatisfy(isLabel) && Int(labels[labels.count - 1]) == nil
            && !name.contains { "/:@?#".contains($0) }
        return CredentialScope(
            isDomain ? host.map { .domain($0) } : nil,
            otherwise: "\(quoted(name)) is no domain; one looks like store.example")
    }

    private static func isLabel(_ label: Substring) -> Bool {
        !label.isEmpty && label.utf8.allSatisfy { $0 != UInt8(ascii: "*") && ByteSet.unreserved.contains($0) }
    }

    /// Without what stands before a host, and without a query.
    private static func quoted(_ text: String) -> String {
        let start = text.prefix { $0 != "?" && $0 != "#" }
        return "\"\(start.split(separator: "@", omittingEmptySubsequences: false).last?.prefix(100) ?? "")\""
    }

    /// Whether it is in here: scheme, host and port as ``URL/origin`` writes them.
    func contains(_ origin: String) -> Bool {
        switch rule {
        case .origin(let own): return own == origin
        case .domain(let name):
            guard origin.hasPrefix("https://"), origin.hasSuffix(":443") else { return false }
            let host = origin.dropFirst(8).dropLast(4)
            return host == name || host.hasSuffix("." + name)
        case nil: return false
        }
    }
}

extension CredentialScope: ExpressibleByStringLiteral {
    public init(stringLiteral address: String) {
        self = .origin(address)
    }
}
