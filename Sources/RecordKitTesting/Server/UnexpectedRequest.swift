public import Foundation
import RecordKit

/// A request that nothing expects, and what came nearest to it.
///
/// A call ends with it as the cause of `NetworkError.interceptor`; a task of a URLSession ends with it as it is.
public struct UnexpectedRequest: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// Method and address, sensitive items redacted.
    public let request: String
    /// What came nearest, as it is named in the test or in the recording; nil when there is nothing.
    public let nearest: String?
    /// How the request differs from the nearest; empty when there is none.
    public let differences: [StubDifference]
    /// Who expects it, and what else is there to say.
    let expectation: Expectation

    enum Expectation: Hashable {
        case stub
        /// - Parameters:
        ///   - isSpent: whether the nearest would fit, had it not been given before.
        ///   - unreadable: the entries that were left out.
        case recording(file: String, isSpent: Bool, unreadable: [String] = [])
    }

    public var description: String {
        guard case .recording(_, _, let unreadable) = expectation, let first = unreadable.first else { return reason }
        let entries = unreadable.count == 1 ? "1 entry" : "\(unreadable.count) entries"
        return "\(reason) It was recorded, perhaps, in \(entries) that could not be read: \(first)"
            + (unreadable.count == 1 ? "." : ", and others; see Cassette.unreadableEntries.")
    }

    private var reason: String {
        let lead =
            switch expectation {
            case .stub: "No stub expects \(request)."
            case .recording(let file, _, _): "The recording \(file) has no \(request)."
            }
        guard let nearest else { return "\(lead) \(emptiness)" }
        if case .recording(_, isSpent: true, _) = expectation, differences.isEmpty {
            return "\(lead) It was asked for more often than it was recorded."
        }
        let how = differences.map(\.description).joined(separator: "; ")
        return "\(lead) The nearest is \(nearest): \(how)."
    }

    private var emptiness: String {
        switch expectation {
        case .stub: "There are no stubs."
        case .recording: "There is nothing in it."
        }
    }

    public var errorDescription: String? { description }
}

extension NetworkError {
    /// Never sent again by a retry, and told in full.
    static func unexpected(_ error: some Error & CustomStringConvertible, by name: String) -> NetworkError {
        let reason = error.description
        // The sentence ends with a period of its own.
        let part = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        return .interceptor(NetworkError.InterceptorFailure(interceptor: name, reason: part, cause: error))
    }
}
