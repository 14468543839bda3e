/// The record that stands in the way of a conditional request, from the body of a 412.
struct ExistingRecord: Decodable {
    private struct Details: Decodable {
        let existing: StoredRecord?
    }

    private let details: Details?

    var existing: StoredRecord? { details?.existing }
}
