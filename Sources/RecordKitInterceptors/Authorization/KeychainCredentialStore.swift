#if canImport(Security)
import Foundation
import Security

/// Keeps a token in the keychain of this device, readable after the first unlock.
public struct KeychainCredentialStore: CredentialStore {
    private let service: String
    private let account: String
    private let accessGroup: String?

    /// - Parameters:
    ///   - service: whose sign-in it is, such as the app's bundle identifier.
    ///   - account: which of several sign-ins.
    ///   - accessGroup: the group of apps that share it; nil for this app alone.
    public init(service: String, account: String = "token", accessGroup: String? = nil) {
        self.service = service
        self.account = account
        self.accessGroup = accessGroup
    }

    public func load() throws(KeychainError) -> Token? {
        var query = item
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = found as? Data else { throw KeychainError(status: status) }
        guard let token = try? JSONDecoder().decode(Token.self, from: data) else {
            throw KeychainError(status: errSecDecode)
        }
        return token
    }

    public func save(_ token: Token?) throws(KeychainError) {
        guard let token else {
            let status = SecItemDelete(item as CFDictionary)
            if status != errSecSuccess, status != errSecItemNotFound { throw KeychainError(status: status) }
            return
        }
        guard let data = try? JSONEncoder().encode(token) else { throw KeychainError(status: errSecParam) }
        let change = [kSecValueData as String: data]
        var status = SecItemUpdate(item as CFDictionary, change as CFDictionary)
        if status == errSecItemNotFound {
            var new = item
            new[kSecValueData as String] = data
            new[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            status = SecItemAdd(new as CFDictionary, nil)
        }
        if status != errSecSuccess { throw KeychainError(status: status) }
    }

    private var item: [String: Any] {
        var item: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
        if let accessGroup {
            item[kSecAttrAccessGroup as String] = accessGroup
            // The other keychain of macOS has no groups, and passes over their names.
            item[kSecUseDataProtectionKeychain as String] = true
        }
        return item
    }
}

/// What the keychain refused.
public struct KeychainError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An `OSStatus`, as `SecBase.h` names it.
    public let status: Int32

    public var description: String {
        let text = SecCopyErrorMessageString(status, nil) as String? ?? "error \(status)"
        return "The keychain refused the sign-in: \(text)"
    }
}
#endif
