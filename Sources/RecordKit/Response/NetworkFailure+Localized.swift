/// `localizedDescription`, which Foundation and SwiftUI show, has these as its parts.
///
/// All four members have a default, so that a file without `import Foundation` can declare an error.
extension NetworkFailure {
    /// A description for the user. Default: the error's own `description`, otherwise that of its ``NetworkError``,
    /// otherwise the name of its case in words.
    ///
    /// A server's messages and other payloads aren't part of the default.
    public var errorDescription: String? {
        if Self.self is any CustomStringConvertible.Type { return "\(self)" }
        let payload = Mirror(reflecting: self).children
        // The payload of a case with several values is a tuple.
        let values = payload.map(\.value) + payload.flatMap { Mirror(reflecting: $0.value).children.map(\.value) }
        for case let error as NetworkError in values { return error.text }
        return Self.words(CaseName.of(self).split(separator: ".").last ?? "")
    }

    /// Default: `nil`.
    public var failureReason: String? { nil }

    /// Default: `nil`.
    public var recoverySuggestion: String? { nil }

    /// Default: `nil`.
    public var helpAnchor: String? { nil }

    /// Returns the name of a case as a sentence: `Not found.` for `notFound`.
    private static func words(_ name: Substring) -> String {
        var words = ""
        for character in name {
            if character.isUppercase, words.last?.isLowercase == true { words += " " }
            words += words.isEmpty ? character.uppercased() : character.lowercased()
        }
        return words + "."
    }
}
