/// The keys of an AWS account or of a role. They are never printed.
public struct AWSCredentials: Sendable, Hashable {
    /// The access key ID, such as `AKIDEXAMPLE`.
    public var accessKeyID: String
    /// The secret access key. It isn't sent.
    public var secretKey: String
    /// The session token of temporary credentials.
    public var sessionToken: String?

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - accessKeyID: The access key ID.
    ///   - secretKey: The secret access key.
    ///   - sessionToken: The session token of temporary credentials.
    public init(accessKeyID: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type, without the keys.
    public var description: String { "AWSCredentials" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// A mirror without the keys.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
