import RecordKit

/// The conditions of a write: `If-Match`, and `If-None-Match: *` (RFC 9110 section 13.1). Entity tags are versions.
struct Preconditions {
    private enum Tag: Equatable {
        case any
        case version(Int64)
    }

    private let match: Tag?
    private let isForNew: Bool

    init(_ request: StoreRequest) throws(StoreRefusal) {
        match = try Self.tag("If-Match", in: request)
        isForNew = try Self.tag("If-None-Match", in: request) == .any
    }

    /// Throws 412 unless the conditions hold for an object, or for its absence.
    func check(_ existing: StoredObject?, in list: ObjectTable.List) throws {
        let isMatch =
            switch match {
            case nil: true
            case .any: existing != nil
            case .version(let version): existing?.version == version
            }
        if isMatch, !isForNew || existing == nil { return }
        throw StoreRefusal.changedMeanwhile(existing: existing, version: existing?.version ?? list.version)
    }

    private static func tag(_ name: String, in request: StoreRequest) throws(StoreRefusal) -> Tag? {
        guard let value = request.headers[name], !value.isEmpty else { return nil }
        if value == "*" { return .any }
        let digits = value.dropFirst().dropLast()
        guard value.count > 2, value.first == "\"", value.last == "\"", digits.utf8.allSatisfy(\.isDigit) else {
            throw .invalid(.header, name, "The value should be a version between double quotes, or *.")
        }
        // No object has a version of more than 64 bits.
        return .version(Int64(digits) ?? -1)
    }
}
