/// The grade of a record by the Goldmine standard, best first.
enum MediaCondition: String, CaseIterable, Sendable {
    case mint = "M"
    case nearMint = "NM"
    case veryGoodPlus = "VG+"
    case veryGood = "VG"
    case goodPlus = "G+"
    case good = "G"
    case fair = "F"
    case poor = "P"

    /// The name at Discogs.
    var discogsName: String {
        switch self {
        case .mint: "Mint (M)"
        case .nearMint: "Near Mint (NM or M-)"
        case .veryGoodPlus: "Very Good Plus (VG+)"
        case .veryGood: "Very Good (VG)"
        case .goodPlus: "Good Plus (G+)"
        case .good: "Good (G)"
        case .fair: "Fair (F)"
        case .poor: "Poor (P)"
        }
    }

    /// Parses the short name or the Discogs name, in any case.
    init(_ text: String) throws(InvalidValue) {
        guard case .graded(let condition) = SleeveCondition.named(text) else {
            throw InvalidValue(Self.complaint(about: text, Self.allCases.map(\.rawValue)))
        }
        self = condition
    }

    /// Returns why a text is no grade, with the grade that was probably meant.
    fileprivate static func complaint(about text: String, _ names: [String]) -> String {
        let words = text.trimmed.lowercased().replacing("-", with: " ")
        let hint: String? =
            switch words {
            case "ex", "ex+", "e", "excellent", "excellent+": "it lies between VG+ and NM of the Goldmine standard;"
            case "mt": "did you mean M?"
            default:
                allCases.first { condition in
                    let name = condition.discogsName.lowercased()
                    return name.hasPrefix(words + " (")
                        || name.replacing(" plus (", with: "+ (").hasPrefix(words + " (")
                }.map { "did you mean \($0.rawValue)?" }
            }
        return "not a grade; " + (hint.map { $0 + " " } ?? "") + "use one of \(names.joined(separator: ", "))"
    }
}

extension MediaCondition: Comparable {
    /// Orders by quality: the better grade is greater.
    static func < (one: MediaCondition, other: MediaCondition) -> Bool {
        allCases.drop { $0 != other }.dropFirst().contains(one)
    }
}

/// The grade of a sleeve, or why it has none.
enum SleeveCondition: Hashable, Sendable, RawRepresentable, CaseIterable {
    case graded(MediaCondition)
    /// A plain sleeve in place of the original.
    case generic
    case notGraded
    /// No sleeve.
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
        guard let condition = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = condition
    }

    /// The name at Discogs.
    var discogsName: String {
        switch self {
        case .graded(let condition): condition.discogsName
        case .generic: "Generic"
        case .notGraded: "Not Graded"
        case .missing: "No Cover"
        }
    }

    /// Parses the short name or the Discogs name, in any case.
    init(_ text: String) throws(InvalidValue) {
        guard let condition = Self.named(text) else {
            throw InvalidValue(MediaCondition.complaint(about: text, Self.allCases.map(\.rawValue)))
        }
        self = condition
    }

    fileprivate static func named(_ text: String) -> SleeveCondition? {
        let name = text.trimmed.lowercased()
        return name == "m-" ? .graded(.nearMint) : byName[name]
    }

    private static let byName: [String: SleeveCondition] = {
        let names = allCases.flatMap { [($0.rawValue.lowercased(), $0), ($0.discogsName.lowercased(), $0)] }
        return Dictionary(names) { first, _ in first }
    }()
}
