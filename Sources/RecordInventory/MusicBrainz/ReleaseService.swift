import RecordKit

/// The request for releases. The environment is the web service of MusicBrainz, `https://musicbrainz.org/ws/2`.
struct ReleaseSearch: NetworkRequest {
    typealias ValueType = ReleaseList
    typealias ErrorType = LookupError

    let wanted: ReleaseQuery
    let limit: Int

    /// The slash at the end saves a redirect.
    var path: RequestPath { "release/" }
    var query: RequestQuery { ["query": wanted.text, "fmt": "json", "limit": "\(limit)"] }
}

/// What to look for.
enum ReleaseQuery: Hashable, Sendable {
    case barcode(Barcode)
    /// Words of the artist, the title or the catalog number. Each has to be found.
    case words([String])

    /// The query in the syntax of Lucene.
    var text: String {
        switch self {
        case .barcode(let barcode):
            // A barcode is stored as it is printed: 12 digits in America, 13 elsewhere.
            return barcode.spellings.map { "barcode:\($0)" }.joined(separator: " OR ")
        case .words(let words):
            return words.map { word in
                let quoted = "\"\(word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
                return "(artist:\(quoted) OR release:\(quoted) OR catno:\(quoted))"
            }.joined(separator: " AND ")
        }
    }
}

/// The response to a search.
struct ReleaseList: Decodable, Sendable {
    let releases: [Release]
}

/// One edition of an album or a single, as MusicBrainz describes it.
struct Release: Decodable, Hashable, Sendable {
    let title: String
    private let credits: [Credit]?
    private let labels: [LabelInfo]?
    private let media: [Medium]?
    private let date: String?
    let country: String?
    let barcode: String?

    private enum CodingKeys: String, CodingKey {
        case title, date, country, barcode, media
        case credits = "artist-credit"
        case labels = "label-info"
    }

    private struct Credit: Decodable, Hashable {
        let name: String
        let joinphrase: String?
    }

    private struct LabelInfo: Decodable, Hashable {
        let number: String?
        let label: Label?

        /// MusicBrainz has names such as `[no label]` and `[none]` for what is missing.
        var name: String? { Self.known(label?.name) }
        var catalogueNumber: String? { Self.known(number) }

        private static func known(_ text: String?) -> String? {
            text.flatMap { $0.trimmed.isEmpty || $0.hasPrefix("[") && $0.hasSuffix("]") ? nil : $0 }
        }

        enum CodingKeys: String, CodingKey {
            case number = "catalog-number"
            case label
        }
    }

    private struct Label: Decodable, Hashable {
        let name: String?
    }

    private struct Medium: Decodable, Hashable {
        let format: String?
    }

    /// The artists as they are credited: `Simon & Garfunkel`.
    var artist: String { (credits ?? []).map { $0.name + ($0.joinphrase ?? "") }.joined() }
    var label: String? { edition?.name }
    var catalogueNumber: String? { edition?.catalogueNumber }

    /// The label with its own catalog number. A release of several labels has a number of each.
    private var edition: LabelInfo? {
        let known = (labels ?? []).filter { $0.name != nil || $0.catalogueNumber != nil }
        return known.first { $0.name != nil && $0.catalogueNumber != nil } ?? known.first
    }
    var format: String? { media?.lazy.compactMap(\.format).first }
    /// The year of this edition. A date may be a year alone, or empty.
    var year: Int? { date.flatMap { Int($0.prefix(4)) } }

    /// The release in a sentence: `Joni Mitchell: Blue, Reprise Records, 1971, US`.
    var name: String {
        ["\(artist): \(title)", label, year.map { "\($0)" }, country, format].compactMap(\.self).joined(separator: ", ")
    }
}

/// Why a look-up failed.
enum LookupError: NetworkFailure, CustomStringConvertible {
    /// The server is busy, or limits requests. Holds the seconds or the date from which to try again.
    case busy(after: String?)
    case network(NetworkError)

    init(_ error: NetworkError) {
        switch error {
        case .status(let response) where [429, 503].contains(response.statusCode):
            self = .busy(after: response.headers["Retry-After"])
        default: self = .network(error)
        }
    }

    var description: String {
        switch self {
        case .busy(let after): "MusicBrainz is busy: try again \(after?.retryTime ?? "later")"
        case .network(let error): "MusicBrainz could not be asked: \(error)"
        }
    }
}
