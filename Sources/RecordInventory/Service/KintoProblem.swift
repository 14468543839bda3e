import Foundation
import RecordKit

/// What Kinto says of a request that it refused.
struct KintoProblem: Decodable, Sendable, Hashable {
    let code: Int
    let errno: Int?
    let error: String?
    let message: String?

    /// What it says, on one line.
    var text: String {
        [error, message].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

/// The record that stands in the way of a conditional request, from the body of a 412.
struct ExistingRecord: Decodable {
    private struct Details: Decodable {
        let existing: StoredRecord?
    }

    private let details: Details?

    var existing: StoredRecord? { details?.existing }
}
