public import Foundation

/// Why a ``MockFolder`` could not answer.
public enum MockError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// There is no file for this request.
    case missing(request: String, file: String, folder: String)
    /// The file is there and cannot be used.
    case unreadable(file: String, reason: String)

    public var description: String {
        switch self {
        case .missing(let request, let file, let folder):
            "There is no \(file) in \(folder) to answer \(request) with. Put it there."
        case .unreadable(let file, let reason):
            "The file \(file) cannot be used: \(reason)."
        }
    }

    public var errorDescription: String? { description }
}
