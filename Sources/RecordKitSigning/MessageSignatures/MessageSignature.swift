public import Foundation
import RecordKit
import RecordKitDigest
import RecordKitStructuredFields

/// What a signature of HTTP Message Signatures (RFC 9421) covers, and the key that it is made with: HMAC-SHA256.
///
/// ```swift
/// MessageSignature(
///     key: key, keyID: "till-7",
///     covering: [.method, .targetURI, "content-digest"])
/// ```
public struct MessageSignature: Sendable {
    /// A part of a request that a signature covers. A string literal is the name of a header field.
    public struct Component: Sendable, Hashable, ExpressibleByStringLiteral {
        let name: String
        let parameter: String?

        /// Creates the component of a header field.
        public init(stringLiteral name: String) {
            self.init(name.lowercased())
        }

        private init(_ name: String, parameter: String? = nil) {
            self.name = name
            self.parameter = parameter
        }

        /// The value of a header field (section 2.1).
        public static func field(_ name: String) -> Component { Component(name.lowercased()) }
        /// The method (section 2.2.1).
        public static let method = Component("@method")
        /// The whole URL (section 2.2.2).
        public static let targetURI = Component("@target-uri")
        /// The host, and the port unless it is the scheme's (section 2.2.3).
        public static let authority = Component("@authority")
        /// The scheme (section 2.2.4).
        public static let scheme = Component("@scheme")
        /// The path and the query (section 2.2.5).
        public static let requestTarget = Component("@request-target")
        /// The path (section 2.2.6).
        public static let path = Component("@path")
        /// The query with its question mark (section 2.2.7).
        public static let query = Component("@query")
        /// One item of the query, by its decoded name (section 2.2.8). The query must have exactly one of this name.
        public static func query(_ name: String) -> Component { Component("@query-param", parameter: name) }
    }

    /// The label of the signature, if a request has several.
    public var label: String
    /// The key, at least 32 random bytes.
    public var key: Data
    /// The name of the key, by which the server finds it.
    public var keyID: String
    /// The parts of the request that the signature covers, in order.
    public var components: [Component]
    /// The time that the signature is valid, or `nil` for as long as the server decides.
    public var lifetime: Duration?
    /// Whether the signature has a random string that the server accepts once.
    public var hasNonce: Bool
    /// The name of the application that the signature is for.
    public var tag: String?
    /// Whether the parameters name the algorithm. A server that has the key doesn't need it.
    public var namesAlgorithm: Bool

    /// Creates a signature.
    ///
    /// - Parameters:
    ///   - key: The key, at least 32 random bytes.
    ///   - keyID: The name of the key.
    ///   - components: The parts of the request that the signature covers. Fields that describe a body are left out
    ///     for a request without one. Any other field that is missing ends the call.
    ///   - label: The label of the signature. It must be lowercase letters, digits and hyphens. Default: `sig`.
    ///   - lifetime: The time that the signature is valid. Default: as long as the server decides.
    ///   - hasNonce: Whether the signature has a random string that the server accepts once. Default: `false`.
    ///   - tag: The name of the application that the signature is for.
    ///   - namesAlgorithm: Whether the parameters name the algorithm. Default: `false`.
    public init(
        key: Data, keyID: String, covering components: [Component] = [.method, .targetURI, "content-digest"],
        label: String = "sig", lifetime: Duration? = nil, hasNonce: Bool = false, tag: String? = nil,
        namesAlgorithm: Bool = false
    ) {
        self.key = key
        self.keyID = keyID
        self.components = components
        self.label = label
        self.lifetime = lifetime
        self.hasNonce = hasNonce
        self.tag = tag
        self.namesAlgorithm = namesAlgorithm
    }
}

extension MessageSignature: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type and of the key, without the key.
    public var description: String { "MessageSignature(\(keyID))" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// A mirror without the key.
    public var customMirror: Mirror { Mirror(self, children: ["keyID": keyID], displayStyle: .struct) }
}

extension MessageSignature {
    /// A signature that can't be made. The string says why.
    struct Problem: Error {
        let reason: String
    }

    /// Returns the values of `Signature-Input` and `Signature` (section 4).
    func fields(for call: NetworkCall, nonce: String) throws(Problem) -> (input: String, signature: String) {
        guard StructuredField.dictionary("\(label)=1")?.map(\.name) == [label] else {
            throw Problem(reason: "the label \"\(label)\" isn't a key of a structured field (RFC 9651 section 3.1.2)")
        }
        var identifiers: [String] = []
        var lines = ""
        for component in components where !Self.isLeftOut(component, of: call) {
            let identifier = try component.identifier
            if identifiers.contains(identifier) { throw Problem(reason: "\(identifier) is covered twice") }
            identifiers.append(identifier)
            lines += "\(identifier): \(try component.value(in: call))\n"
        }
        guard let parameters = parameters(at: call.clock.date(), nonce: nonce).serialized else {
            throw Problem(reason: "the key ID or the tag isn't ASCII")
        }
        let input = "(\(identifiers.joined(separator: " ")))\(parameters)"
        // The signature base (section 2.5).
        let code = KeyedDigest.of(Data("\(lines)\"@signature-params\": \(input)".utf8), .sha256, key: key)
        return ("\(label)=\(input)", "\(label)=:\(code.base64):")
    }

    private static func isLeftOut(_ component: Component, of call: NetworkCall) -> Bool {
        call.body == nil && component.name.hasPrefix("content-") && !call.headers.contains(component.name)
    }

    /// The parameters of the signature (section 2.3).
    private func parameters(at date: Date, nonce: String) -> StructuredField.Parameters {
        let created = Int(date.timeIntervalSince1970)
        var parameters = StructuredField.Parameters()
        parameters["created"] = .integer(created)
        if let lifetime { parameters["expires"] = .integer(created + Int(lifetime.components.seconds)) }
        if hasNonce { parameters["nonce"] = .string(nonce) }
        if namesAlgorithm { parameters["alg"] = .string("hmac-sha256") }
        parameters["keyid"] = .string(keyID)
        if let tag { parameters["tag"] = .string(tag) }
        return parameters
    }
}

extension MessageSignature.Component {
    /// The component identifier: the name in quotation marks, and its parameter.
    fileprivate var identifier: String {
        get throws(MessageSignature.Problem) {
            var item = StructuredField.Item(.string(name))
            if let parameter { item.parameters["name"] = .string(parameter.formEncoded) }
            guard let text = item.serialized else { throw MessageSignature.Problem(reason: "a name isn't ASCII") }
            return text
        }
    }

    /// The value of the component in a call.
    fileprivate func value(in call: NetworkCall) throws(MessageSignature.Problem) -> String {
        let target = call.url.target
        switch name {
        case "@method": return call.method.rawValue
        case "@authority": return call.hostField
        case "@scheme": return call.url.scheme?.lowercased() ?? ""
        case "@target-uri":
            return "\(call.url.scheme?.lowercased() ?? "")://\(call.hostField)\(target.path)"
                + (target.query.map { "?\($0)" } ?? "")
        case "@request-target": return target.path + (target.query.map { "?\($0)" } ?? "")
        case "@path": return target.path
        case "@query": return "?\(target.query ?? "")"
        case "@query-param":
            let items = RequestQuery(parsing: target.query ?? "").items.filter { $0.name == parameter }
            guard items.count == 1 else {
                throw MessageSignature.Problem(
                    reason: "the query has \(items.count) items \"\(parameter ?? "")\", and exactly one can be signed")
            }
            return items[0].value.formEncoded
        default:
            // The transport would add the type later, and unsigned.
            if name == "content-type", !call.headers.contains(name), let body = call.body { return body.contentType }
            let values = call.headers.values(for: name)
            guard !values.isEmpty else {
                throw MessageSignature.Problem(
                    reason: "the call has no field \(name), which its signature covers; set it, "
                        + "or place the interceptor that sets it before this one")
            }
            return values.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: ", ")
        }
    }
}
