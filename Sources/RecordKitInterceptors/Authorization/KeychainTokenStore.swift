#if canImport(Security)
public import Foundation
import Security

/// A store that keeps a token in the keychain of this device, readable after the first unlock.
public struct KeychainTokenStore: TokenStore {
    private let service: String
    private let account: String
    private let accessGroup: String?

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - service: The service that the token belongs to, such as the app's bundle identifier.
    ///   - account: The account, if the service has several.
    ///   - accessGroup: The group of apps that share the token. Default: `nil`, this app only.
    public init(service: String, account: String = "token", accessGroup: String? = nil) {
        self.service = service
        self.account = account
        self.accessGroup = accessGroup
    }

    /// Returns the token in the keychain, or `nil` if there is none.
    ///
    /// - Throws: `KeychainError` if the keychain can't be read.
    public func load() throws(KeychainError) -> TokenSet? {
        var query = item
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = found as? Data else { throw KeychainError(status: status) }
        guard let token = try? JSONDecoder().decode(TokenSet.self, from: data) else {
            throw KeychainError(status: errSecDecode)
        }
        return token
    }

    /// Stores a token in the keychain, or removes it.
    ///
    /// - Parameter token: The token, or `nil` to remove the stored token.
    /// - Throws: `KeychainError` if the keychain can't be changed.
    public func save(_ token: TokenSet?) throws(KeychainError) {
        guard let token else {
            let status = SecItemDelete(item as CFDictionary)
            if status != errSecSuccess, status != errSecItemNotFound { throw KeychainError(status: status) }
            return
        }
        if try replace(with: token) { return }
        var new = item
        new[kSecValueData as String] = try Self.encoded(token)
        new[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        let status = SecItemAdd(new as CFDictionary, nil)
        if status != errSecSuccess { throw KeychainError(status: status) }
    }

    /// Stores a refreshed token, unless the stored one was removed.
    ///
    /// - Parameter token: The refreshed token.
    /// - Returns: Whether the token was stored.
    /// - Throws: `KeychainError` if the keychain can't be changed.
    public func replace(with token: TokenSet) throws(KeychainError) -> Bool {
        let change = try [kSecValueData as String: Self.encoded(token)]
        let status = SecItemUpdate(item as CFDictionary, change as CFDictionary)
        if status != errSecSuccess, status != errSecItemNotFound { throw KeychainError(status: status) }
        return status == errSecSuccess
    }

    private static func encoded(_ token: TokenSet) throws(KeychainError) -> Data {
        guard let data = try? JSONEncoder().encode(token) else { throw KeychainError(status: errSecParam) }
        return data
    }

    private var item: [String: Any] {
        var item: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
        if let accessGroup {
            item[kSecAttrAccessGroup as String] = accessGroup
            // The file-based keychain of macOS has no access groups, and ignores their names.
            item[kSecUseDataProtectionKeychain as String] = true
        }
        return item
    }
}

/// An error that the keychain returned.
public struct KeychainError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The `OSStatus` of the keychain; see `SecBase.h`.
    public let status: Int32

    /// A message that names the reason.
    public var description: String {
        let reason = SecCopyErrorMessageString(status, nil) as String? ?? "error \(status)"
        return "The sign-in can't be read from the keychain or saved in it: \(reason)"
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
#endif
