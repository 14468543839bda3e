public import Foundation

/// What an interrupted download has left beside its target. The next download of the same URL continues with it.
///
/// ```swift
/// if let left = PartialDownload(of: target) { show("\(left)") }
/// ```
public struct PartialDownload: Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes that are stored.
    public let size: Int
    /// The size of the whole file in bytes, or `nil` if the server hasn't sent it.
    public let total: Int?

    /// Looks for the bytes of an interrupted download. Returns `nil` if there are none that can be continued.
    ///
    /// The download may also be running, in this process or in another one.
    ///
    /// - Parameter target: The file URL that was passed to `download`.
    public init?(of target: URL) {
        guard let (size, version) = PartialFile.left(of: target) else { return nil }
        self.size = size
        total = version.total
    }

    /// A sentence such as `2000 of 5000 bytes are stored, and the next download continues after them.`
    public var description: String {
        "\(size)\(total.map { " of \($0)" } ?? "") bytes are stored, and the next download continues after them."
    }
}
