package import Foundation

extension URL {
    /// The bytes of an address that holds nothing to redact: no user, query, fragment or parameter in its path.
    private static let plain = ByteSet.unreserved.union("!$&'()*+,=").union("%:/[]")

    /// The address as it may be printed: no password, and `redacted` for the value of every secret item of its query
    /// and its fragment, and of every secret parameter of its path.
    package func redacted(_ secretNames: Set<String>) -> String {
        let text = absoluteString
        // Nearly every address is plain.
        if Self.plain.containsAll(of: text) { return text }
        return AddressSecrets.redacted(text, SecretNames(secretNames), isAddress: true)
    }
}
