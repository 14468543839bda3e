import Foundation
public import RecordKit

/// The servers that a credential may be sent to.
///
/// A string literal is an origin: `"https://api.store.example"`.
public struct CredentialScope: Sendable, Hashable {
    private enum Rule: Sendable, Hashable {
        case origin(URLOrigin)
        case domain(String)
    }

    private let rules: [Rule]
    /// The reason why the scope is invalid, as part of a sentence. The first call of an interceptor fails with it.
    public let invalidReason: String?

    private init(_ rule: Rule?, otherwise invalidReason: String) {
        rules = rule.map { [$0] } ?? []
        self.invalidReason = rule == nil ? invalidReason : nil
    }

    /// Returns the scope of one origin: the scheme, host and port of an http or https URL (RFC 6454).
    ///
    /// - Parameter address: The URL. Its path is ignored.
    public static func origin(_ address: String) -> CredentialScope {
        let url = URL(string: address)
        let isOrigin = ["http", "https"].contains(url?.scheme?.lowercased()) && url?.host()?.isEmpty == false
        return CredentialScope(
            isOrigin ? url.map { .origin(URLOrigin($0)) } : nil,
            otherwise: "\(quoted(address)) isn't an origin; use one such as https://api.store.example")
    }

    /// Returns the scope of a host and all its subdomains, over https on port 443.
    ///
    /// - Parameter name: The name of the host, such as `store.example`.
    public static func domain(_ name: String) -> CredentialScope {
        let host = URL(string: "https://\(name)/").map { URLOrigin($0).host }
        let labels = (host ?? "").split(separator: ".", omittingEmptySubsequences: false)
        // The last label of an IPv4 address is a number.
        let isDomain =
            labels.count > 1 && labels.allSatisfy(isLabel) && Int(labels[labels.count - 1]) == nil
            && !name.contains { "/:@?#".contains($0) }
        return CredentialScope(
            isDomain ? host.map { .domain($0) } : nil,
            otherwise: "\(quoted(name)) isn't a domain; use one such as store.example")
    }

    /// Returns the scope of all servers of several scopes.
    ///
    /// ```swift
    /// AuthorizationInterceptor(
    ///     tokens,
    ///     for: .anyOf(["https://api.store.example", .domain("cdn.example")]))
    /// ```
    ///
    /// - Parameter scopes: The scopes. An empty array is invalid, and contains no server.
    public static func anyOf(_ scopes: [CredentialScope]) -> CredentialScope {
        CredentialScope(scopes)
    }

    private init(_ scopes: [CredentialScope]) {
        invalidReason =
            scopes.isEmpty
            ? "the scope names no server; pass one such as https://api.store.example"
            : scopes.lazy.compactMap(\.invalidReason).first
        rules = invalidReason == nil ? scopes.flatMap(\.rules) : []
    }

    private static func isLabel(_ label: Substring) -> Bool {
        !label.isEmpty && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_~".contains($0)) }
    }

    /// Returns the string in quotation marks, without credentials before a host and without a query.
    private static func quoted(_ string: String) -> String {
        let start = string.prefix { $0 != "?" && $0 != "#" }
        return "\"\(start.split(separator: "@", omittingEmptySubsequences: false).last?.prefix(100) ?? "")\""
    }

    /// Returns whether a credential of this scope may be sent to an origin. An invalid scope contains none.
    ///
    /// - Parameter origin: The origin of a call.
    public func contains(_ origin: URLOrigin) -> Bool {
        rules.contains { rule in
            switch rule {
            case .origin(let own): return own == origin
            case .domain(let name):
                guard origin.scheme == "https", origin.port == 443 else { return false }
                return origin.host == name || origin.host.hasSuffix("." + name)
            }
        }
    }
}

extension CredentialScope: ExpressibleByStringInterpolation {
    /// Creates the scope of one origin.
    ///
    /// - Parameter address: The URL of the origin.
    public init(stringLiteral address: String) {
        self = .origin(address)
    }
}

extension CredentialScope: CustomStringConvertible {
    /// The origins, and the domains with their subdomains.
    public var description: String {
        invalidReason
            ?? rules.map { rule in
                switch rule {
                case .origin(let origin): "\(origin)"
                case .domain(let name): "\(name) and its subdomains"
                }
            }.joined(separator: ", ")
    }
}
