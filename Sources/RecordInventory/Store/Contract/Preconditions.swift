import RecordKit

/// The conditions of a request: `If-Match` and `If-None-Match` (RFC 9110 section 13.1). Entity tags are versions.
struct Preconditions {
    private enum Tag: Equatable {
        case any
        case version(Int64)
    }

    private let match: Tag?
    private let noneMatch: Tag?

    init(_ request: StoreRequest) throws(StoreRefusal) {
        match = try Self.tag("If-Match", in: request)
        noneMatch = try Self.tag("If-None-Match", in: request)
    }

    /// Returns whether a read gets the status 304.
    func isUnmodified(_ version: Int64) -> Bool {
        noneMatch == .version(version)
    }

    /// Throws 412 unless the conditions hold for an object, or for its absence.
    func check(_ existing: StoredObject?, in list: ObjectTable.List) throws {
        guard isBroken(exists: existing != nil, version: existing?.version) else { return }
        throw StoreRefusal.changedMeanwhile(existing: existing, version: existing?.version ?? list.version)
    }

    /// Throws 412 unless the conditions hold for a list, which always exists.
    func check(_ list: ObjectTable.List) throws {
        guard isBroken(exists: true, version: list.version) else { return }
        throw StoreRefusal.changedMeanwhile(existing: nil, version: list.version)
    }

    private func isBroken(exists: Bool, version: Int64?) -> Bool {
        if noneMatch == .any && exists { return true }
        guard let match else { return false }
        return !exists || (match != .any && match != version.map { .version($0) })
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
