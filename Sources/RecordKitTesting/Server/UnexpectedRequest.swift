public import Foundation
import RecordKit

/// A request that no stub or recording expects, and the nearest one.
///
/// A call fails with it as the cause of `NetworkError.interceptor(_:)`. A task of a URLSession fails with it directly.
public struct UnexpectedRequest: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// The method and the URL, sensitive values redacted.
    public let request: String
    /// The nearest stub or recording, as named in the test or the recording, or `nil` if there is none.
    public let nearest: String?
    /// How the request differs from the nearest. Empty if there is none.
    public let differences: [StubDifference]
    /// What requests are expected by.
    let expectation: Expectation

    enum Expectation: Hashable {
        case stub
        /// A recording.
        ///
        /// - Parameters:
        ///   - isSpent: Whether the nearest would match if it hadn't been used already.
        ///   - unreadable: The entries that were skipped.
        case recording(file: String, isSpent: Bool, unreadable: [String] = [])
    }

    /// A message that names the request and how it differs from the nearest.
    public var description: String {
        guard case .recording(_, _, let unreadable) = expectation, let first = unreadable.first else { return reason }
        let entries = unreadable.count == 1 ? "1 entry" : "\(unreadable.count) entries"
        return "\(reason) It may be in \(entries) of the recording that could not be read: \(first.withoutPeriod)"
            + (unreadable.count == 1 ? "." : "; see Cassette.unreadableEntries for the others.")
    }

    private var reason: String {
        let lead =
            switch expectation {
            case .stub: "No stub expects \(request)."
            case .recording(let file, _, _): "The recording \(file) has no \(request)."
            }
        guard let nearest else {
            return lead + (expectation == .stub ? " There are no stubs." : " The recording is empty.")
        }
        if case .recording(_, isSpent: true, _) = expectation, differences.isEmpty {
            return "\(lead) It was sent more often than it was recorded."
        }
        let how = differences.map(\.description).joined(separator: "; ")
        return "\(lead) The nearest is \(nearest): \(how)."
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension NetworkError {
    /// Returns an error that is described completely and never repeated by a retry.
    static func unexpected(_ error: some Error & CustomStringConvertible, by name: String) -> NetworkError {
        .interceptor(
            NetworkError.InterceptorFailure(
                interceptor: name, reason: error.description.withoutPeriod, cause: error))
    }
}

extension String {
    /// The string without the period at its end, as part of a sentence.
    var withoutPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
