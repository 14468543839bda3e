public import Foundation

/// The reason why bytes are not JSON (RFC 8259), and where.
///
/// It quotes nothing of the document.
public struct JSONSyntaxError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes before the fault.
    public let offset: Int
    /// The reason as part of a sentence.
    public let reason: String

    /// The reason and the place.
    public var description: String { "\(reason) at byte \(offset)" }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
