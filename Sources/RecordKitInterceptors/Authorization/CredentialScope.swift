import Foundation
import RecordKit

/// Where a credential may go.
///
/// A string literal is an origin: `"https://api.store.example"`.
public struct CredentialScope: Sendable, Hashable {
    private enum Rule: Sendable, Hashable {
        case origin(Origin)
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
            isOrigin ? url.map { .origin(Origin($0)) } : nil,
            otherwise: "\(quoted(address)) is no origin; one looks like https://api.store.example")
    }

    /// A host and all hosts below it, by https on its usual port.
    public static func domain(_ name: String) -> CredentialScope {
        let host = URL(string: "https://\(name)/").map { String(Origin($0).hostAndPort.dropLast(":443".count)) }
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
        !label.isEmpty && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_~".contains($0)) }
    }

    /// Without what stands before a host, and without a query.
    private static func quoted(_ text: String) -> String {
        let start = text.prefix { $0 != "?" && $0 != "#" }
        return "\"\(start.split(separator: "@", omittingEmptySubsequences: false).last?.prefix(100) ?? "")\""
    }

    /// Returns whether the credential may go to an origin.
    func contains(_ origin: Origin) -> Bool {
        switch rule {
        case .origin(let own): return own == origin
        case .domain(let name):
            let text = origin.description
            guard text.hasPrefix("https://"), text.hasSuffix(":443") else { return false }
            let host = text.dropFirst("https://".count).dropLast(":443".count)
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
