/// The grade of a sleeve, or why it has none.
enum SleeveCondition: Hashable, Sendable, RawRepresentable, CaseIterable {
    case graded(MediaCondition)
    /// A plain sleeve that is not the record's own.
    case generic
    case notGraded
    /// There is no sleeve.
    case missing

    private static let ungraded: [SleeveCondition] = [.generic, .notGraded, .missing]
    static let allCases = MediaCondition.allCases.map { SleeveCondition.graded($0) } + ungraded

    var rawValue: String {
        switch self {
        case .graded(let condition): condition.rawValue
        case .generic: "generic"
        case .notGraded: "not_graded"
        case .missing: "none"
        }
    }

    init?(rawValue: String) {
        guard let condition = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = condition
    }

    /// As Discogs writes it.
    var discogsName: String {
        switch self {
        case .graded(let condition): condition.discogsName
        case .generic: "Generic"
        case .notGraded: "Not Graded"
        case .missing: "No Cover"
        }
    }

    /// Reads the short and the Discogs name, in any case.
    init(_ text: String) throws(InvalidValue) {
        if let condition = MediaCondition.named(text) {
            self = .graded(condition)
            return
        }
        let name = text.trimmed.lowercased()
        let condition = Self.ungraded.first { $0.rawValue == name || $0.discogsName.lowercased() == name }
        guard let condition else {
            throw InvalidValue("not a grade; use one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = condition
    }
}
