package import Foundation

extension URL {
    /// Returns the address as it may be printed: `redacted` replaces the value of every sensitive item of its query and
    /// its fragment, and what stands before its host.
    ///
    /// - Parameter sensitiveNames: the names that are sensitive besides the well-known ones.
    package func redacted(_ sensitiveNames: Set<String>) -> String {
        absoluteString.redactedAddress(sensitiveNames)
    }
}

extension String {
    private static let signs: ByteSet = "?#@"

    /// Returns the string, which is an address, as it may be printed.
    package func redactedAddress(_ sensitiveNames: Set<String> = []) -> String {
        // Most addresses have neither a query nor a user.
        guard Self.signs.containsAny(of: self) else { return self }
        return RedactedPart.all(inAddress: self, SensitiveNames(sensitiveNames)).text
    }
}
