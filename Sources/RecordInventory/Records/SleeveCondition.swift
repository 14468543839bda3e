/// The grade of a sleeve, or why it has none.
enum SleeveCondition: Hashable, Sendable, RawRepresentable, CaseIterable {
    case graded(MediaCondition)
    /// A plain sleeve that is not the record's own.
    case generic
    case notGraded
    /// There is no sleeve.
    case missing

    static let allCases = MediaCondition.allCases.map { SleeveCondition.graded($0) } + [.generic, .notGraded, .missing]

    var rawValue: String {
        switch self {
        case .graded(let condition): condition.rawValue
        case .generic: "generic"
        case .notGraded: "not_graded"
        case .missing: "none"
        }
    }

    init?(rawValue: String) {
        switch rawValue {
        case "generic": self = .generic
        case "not_graded": self = .notGraded
        case "none": self = .missing
        default:
            guard let condition = MediaCondition(rawValue: rawValue) else { return nil }
            self = .graded(condition)
        }
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
        switch text.trimmed.lowercased() {
        case "generic": self = .generic
        case "not_graded", "not graded": self = .notGraded
        case "none", "no cover": self = .missing
        default:
            throw InvalidValue("not a grade; use one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
    }
}
