public import Foundation
import RecordKit

/// A token that ends, and what it is renewed with. It never prints itself.
public struct Token: Sendable, Hashable, Codable {
    /// What calls are signed with.
    public var access: String
    /// The word before it in `Authorization`.
    public var type: String
    /// What a new one is asked for with.
    public var refresh: String?
    /// When it ends; nil when only a 401 tells.
    public var expiry: Date?

    public init(_ access: String, type: String = "Bearer", refresh: String? = nil, expiry: Date? = nil) {
        self.access = access
        self.type = type
        self.refresh = refresh
        self.expiry = expiry
    }
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Its type and when it ends.
    public var description: String {
        "\(type) redacted\(expiry.map { " until \(HTTPDate($0))" } ?? "")"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: ["type": type, "expiry": expiry as Any], displayStyle: .struct)
    }
}
