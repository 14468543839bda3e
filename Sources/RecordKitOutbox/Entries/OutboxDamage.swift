public import Foundation

/// What became of the entries of a damaged file.
public struct OutboxDamage: Sendable, Hashable {
    /// The URL of a copy of the damaged file.
    public let copy: URL
    /// The number of entries that could be read, and are in the file again.
    public let kept: Int
    /// The number of entries that are lost, or `nil` if the file doesn't say how many it had.
    public let lost: Int?
}
