public import Foundation
import RecordKit

/// An access token, and what came with it: a refresh token, an ID token, further fields. Its values are never printed.
public struct TokenSet: Sendable, Hashable {
    /// The access token that is sent with each call.
    public var accessToken: String
    /// The scheme in front of the access token in `Authorization`.
    public var type: String
    /// The refresh token, if any.
    public var refreshToken: String?
    /// The date at which the access token expires, in whole seconds, or `nil` if it is known only from a 401.
    public var expiry: Date? { didSet { expiry = expiry.map(Self.wholeSeconds) } }
    /// The scopes that the token grants, separated by spaces as in the server's response (RFC 6749 section 3.3), if
    /// they are known.
    public var scope: String?
    /// The ID token of OpenID Connect that came with the access token, if any.
    public var idToken: String?
    /// The further fields of the server's response by their names, such as Salesforce's `instance_url`.
    ///
    /// ```swift
    /// let baseURL = token.fields["instance_url"]?.string
    /// ```
    public var fields: [String: Field]

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - type: The scheme in front of the access token in `Authorization`.
    ///   - refreshToken: The refresh token, if any.
    ///   - expiry: The date at which the access token expires, if it is known. Fractions of a second are removed.
    ///   - scope: The scopes that the token grants, separated by spaces, if they are known.
    ///   - idToken: The ID token that came with the access token, if any.
    ///   - fields: The further fields of the server's response.
    public init(
        _ accessToken: String, type: String = "Bearer", refreshToken: String? = nil, expiry: Date? = nil,
        scope: String? = nil, idToken: String? = nil, fields: [String: Field] = [:]
    ) {
        self.accessToken = accessToken
        self.type = type
        self.refreshToken = refreshToken
        self.expiry = expiry.map(Self.wholeSeconds)
        self.scope = scope
        self.idToken = idToken
        self.fields = fields
    }

    /// Reads the further fields as a type of the app.
    ///
    /// ```swift
    /// struct Workspace: Decodable { var team: Team }
    /// let workspace = try token.fields(as: Workspace.self)
    /// ```
    ///
    /// - Parameter type: The type. Its properties have the names of the fields.
    /// - Throws: If a field is missing or has another type. An error that the type itself throws is the underlying one.
    public func fields<Fields: Decodable>(as type: Fields.Type = Fields.self) throws(DecodingError) -> Fields {
        do {
            return try JSONDecoder().decode(Fields.self, from: JSONEncoder().encode(fields))
        } catch let error as DecodingError {
            throw error
        } catch {
            throw .dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "\(error)", underlyingError: error))
        }
    }

    /// Returns a date that ISO 8601 represents exactly: a stored token must be equal to the one that was saved.
    private static func wholeSeconds(_ date: Date) -> Date {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        let (first, last) = (-62_135_596_800.0, 253_402_300_799.0)  // the years 1 to 9999
        return Date(timeIntervalSince1970: seconds < last ? max(seconds, first) : last)
    }
}

extension TokenSet {
    /// A field of a token response: a JSON value. The list of cases is complete.
    public enum Field: Sendable, Hashable, Codable {
        /// A string.
        case string(String)
        /// A whole number.
        case integer(Int64)
        /// Another number.
        case number(Double)
        /// `true` or `false`.
        case bool(Bool)
        /// An array.
        case array([Field])
        /// An object.
        case object([String: Field])
        /// `null`.
        case null

        /// The string, if the field is one.
        public var string: String? { if case .string(let string) = self { string } else { nil } }

        /// Reads any JSON value.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let string = try? container.decode(String.self) {
                self = .string(string)
            } else if let bool = try? container.decode(Bool.self) {
                self = .bool(bool)
            } else if let integer = try? container.decode(Int64.self) {
                self = .integer(integer)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let array = try? container.decode([Field].self) {
                self = .array(array)
            } else {
                self = .object(try container.decode([String: Field].self))
            }
        }

        /// Writes the JSON value.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .string(let string): try container.encode(string)
            case .integer(let integer): try container.encode(integer)
            case .number(let number): try container.encode(number)
            case .bool(let bool): try container.encode(bool)
            case .array(let array): try container.encode(array)
            case .object(let object): try container.encode(object)
            case .null: try container.encodeNil()
            }
        }
    }
}

extension TokenSet: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessToken = "access"
        case type
        case refreshToken = "refresh"
        case expiry, scope, idToken, fields
    }

    /// Reads a stored token. The expiry is in ISO 8601, or in seconds since 2001.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let iso8601 = try? container.decodeIfPresent(String.self, forKey: .expiry)
        let expiry =
            try iso8601.map { try Date($0, strategy: .iso8601) }
            ?? container.decodeIfPresent(Double.self, forKey: .expiry).map(Date.init(timeIntervalSinceReferenceDate:))
        self.init(
            try container.decode(String.self, forKey: .accessToken),
            type: try container.decode(String.self, forKey: .type),
            refreshToken: try container.decodeIfPresent(String.self, forKey: .refreshToken), expiry: expiry,
            scope: try container.decodeIfPresent(String.self, forKey: .scope),
            idToken: try container.decodeIfPresent(String.self, forKey: .idToken),
            fields: try container.decodeIfPresent([String: Field].self, forKey: .fields) ?? [:])
    }

    /// Writes the token, with its expiry in ISO 8601.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(accessToken, forKey: .accessToken)
        try container.encode(type, forKey: .type)
        try container.encodeIfPresent(refreshToken, forKey: .refreshToken)
        try container.encodeIfPresent(expiry?.formatted(.iso8601), forKey: .expiry)
        try container.encodeIfPresent(scope, forKey: .scope)
        try container.encodeIfPresent(idToken, forKey: .idToken)
        if !fields.isEmpty { try container.encode(fields, forKey: .fields) }
    }
}

extension TokenSet: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type and the expiry of the token, without its values.
    public var description: String {
        "\(type) redacted\(expiry.map { " until \(HTTPDate($0))" } ?? "")"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the values of the tokens.
    public var customMirror: Mirror {
        Mirror(self, children: ["type": type, "expiry": expiry as Any], displayStyle: .struct)
    }
}
