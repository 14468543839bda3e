public import Foundation

/// What is wrong with a ``Cassette``.
public enum CassetteError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// There is nothing to replay.
    case missing(file: String)
    /// The file is no HAR.
    case unreadable(file: String, reason: String)
    /// The file cannot be written.
    case unwritable(file: String, reason: String)
    /// What was asked for and not recorded.
    case unexpected(file: String, requests: [UnexpectedRequest])
    /// What was recorded and not asked for.
    case unplayed(file: String, requests: [String])
    /// The answer to a request was recorded without its body: a browser let go of it, or wrote it into another file.
    /// The cause of that call's error.
    case bodyMissing(request: String, file: String?)

    public var description: String {
        switch self {
        case .missing(let file):
            "There is no recording \(file). Record it first, with .record(through:) in the place of .replay."
        case .unreadable(let file, let reason):
            "The recording \(file) cannot be read as HAR 1.2: \(reason)."
        case .unwritable(let file, let reason):
            "The recording \(file) cannot be written: \(reason)"
        case .unexpected(_, let requests):
            requests.map(\.description).joined(separator: "\n")
        case .unplayed(let file, let requests):
            "In the recording \(file) this was not asked for:\n" + requests.joined(separator: "\n")
        case .bodyMissing(let request, let file):
            "The recording does not hold the body of the answer to \(request)"
                + (file.map { ", which is in the file \"\($0)\"" } ?? "") + ". Export it again with all bodies in it."
        }
    }

    public var errorDescription: String? { description }
}
