import Foundation
public import RecordKit

/// A client that is registered with an authorization server, and what it asks for (RFC 6749 section 2).
///
/// ```swift
/// let client = OAuthClient(
///     "till-7", .basic(secret: secret), at: server, scopes: ["records.read"])
/// let tokens = client.clientCredentialsTokens()
/// ```
///
/// A description of the client doesn't contain its secret. The requests to the server have a deadline of two minutes
/// and a size limit of 1 MB. Their redirects are never followed. Endpoints need https, except on this machine.
public struct OAuthClient: Sendable {
    /// How the client proves its identity to the server (RFC 6749 section 2.3).
    public struct Authentication: Sendable {
        enum Method: Sendable {
            case none
            case basic(Secret)
            case post(Secret)
        }

        let method: Method

        /// No secret, as for an app or a tool: its users could read the secret (RFC 6749 section 2.1).
        public static let none = Authentication(method: .none)

        /// Returns the authentication with a secret in `Authorization` (`client_secret_basic`). Servers have to support
        /// it.
        ///
        /// - Parameter secret: The client's secret, as the server gave it.
        public static func basic(secret: String) -> Authentication {
            Authentication(method: .basic(Secret(secret)))
        }

        /// Returns the authentication with a secret in the form (`client_secret_post`).
        ///
        /// - Parameter secret: The client's secret, as the server gave it.
        public static func post(secret: String) -> Authentication {
            Authentication(method: .post(Secret(secret)))
        }
    }

    /// The identifier that the server gave the client. It isn't secret.
    public let id: String
    /// The server.
    public let server: OAuthServer
    /// The scopes that are requested.
    public let scopes: [String]
    let authentication: Authentication
    let parameters: RequestQuery
    let network: any NetworkClient

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - id: The identifier that the server gave the client.
    ///   - authentication: How the client proves its identity. Default: not at all.
    ///   - server: The server's endpoints. See ``OAuthServer/discover(_:in:)``.
    ///   - scopes: The scopes to request. Add `openid` for an ID token. Default: those that the server chooses.
    ///   - parameters: Further parameters of all requests, such as `audience` or `resource` (RFC 8707). They don't
    ///     replace those of the protocol.
    ///   - network: The session that sends the requests. It needs no interceptor. Its clock determines expiry dates.
    public init(
        _ id: String, _ authentication: Authentication = .none, at server: OAuthServer, scopes: [String] = [],
        parameters: RequestQuery = [:], network: any NetworkClient = NetworkSession.shared
    ) {
        self.id = id
        self.authentication = authentication
        self.server = server
        self.scopes = scopes
        self.parameters = parameters
        self.network = network
    }

    var clock: NetworkClock { network.session?.configuration.clock ?? .continuous }

    /// The value of the parameter `scope`, or `nil` without scopes.
    var scope: String? { scopes.isEmpty ? nil : scopes.joined(separator: " ") }

    /// Sends a form to an endpoint, with the client's identity.
    ///
    /// - Parameters:
    ///   - fields: The fields of the form.
    ///   - endpoint: The URL of the endpoint, or `nil` if it isn't known.
    ///   - name: The name of the endpoint, for errors.
    func send(
        _ fields: RequestQuery, to endpoint: String?, _ name: OAuthServer.Endpoint
    ) async throws(OAuthError) -> EndpointFields {
        let endpoint = try OAuthServer.checked(endpoint, name)
        var headers: HTTPHeaders = ["Accept": "application/json"]
        var form = fields
        switch authentication.method {
        case .none:
            form.add("client_id", id)
        case .basic(let secret):
            let credential = "\(Self.formEncoded(id)):\(Self.formEncoded(secret.value))"
            headers["Authorization"] = "Basic \(Data(credential.utf8).base64EncodedString())"
        case .post(let secret):
            form.add("client_id", id)
            form.add("client_secret", secret.value)
        }
        return try await network.value(
            for: EndpointRequest(
                endpoint: endpoint, form: adding(parameters, to: form), headers: headers))
    }

    /// Returns the fields, followed by those parameters that they don't have.
    func adding(_ parameters: RequestQuery, to fields: RequestQuery) -> RequestQuery {
        let names = Set(fields.items.map(\.name))
        var more = parameters
        more.items.removeAll { names.contains($0.name) }
        return fields + more
    }

    /// Returns a string encoded as in a form, before it becomes a part of Basic credentials (RFC 6749 section 2.3.1).
    private static func formEncoded(_ string: String) -> String {
        string.utf8.reduce(into: "") { encoded, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                encoded.append(Character(UnicodeScalar(byte)))
            case UInt8(ascii: " "): encoded += "+"
            default: encoded += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}

/// A string that is never printed.
struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let value: String

    init(_ value: String) {
        self.value = value
    }

    var description: String { "redacted" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Returns 256 random bits in base64url, 43 characters.
    static func random() -> Secret {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return Secret(Data(bytes).base64URLEncoded)
    }
}

extension Data {
    /// The bytes in base64url without padding (RFC 4648 section 5).
    var base64URLEncoded: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes base64url without padding.
    init?(base64URLEncoded string: some StringProtocol) {
        let base64 = String(string).replacing("-", with: "+").replacing("_", with: "/")
        self.init(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))
    }
}
