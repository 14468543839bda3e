import RecordKitJSON
import RecordKit

/// The conditions of a list of movements, as far as a server can check them.
struct MovementFilter: Sendable, Hashable {
    var sku: SKU?
    /// The SKUs of several records.
    var oneOfSKUs: [SKU]?
    var command: String?
    var till: String?
    /// The range of ids.
    var ids: Range<String>?
    /// The ids of movements, for those that take them back.
    var undone: [String]?
    /// Empty for all kinds.
    var kinds: [Movement.Kind] = []
    /// Milliseconds since 1970. The movements are then in the order of their times.
    var times: Range<Int64>?
    /// Whether the latest come first, if there are `times`.
    var isLatestFirst = false
    var pageSize = 1_000

    /// The number of ids in one request. Servers and proxies limit the length of a URL, and an id is chosen by the
    /// user, with up to 255 characters.
    static let idLimit = 20

    /// Returns the filters that find the same movements by the indexes of the embedded store: one for openings, and one
    /// for all others, both in the order of their times.
    ///
    /// - Parameter limit: How many are wanted, the latest first. `nil` wants all.
    func filters(latest limit: Int?) -> [MovementFilter] {
        guard sku == nil, command == nil, kinds.isEmpty, times != nil || limit != nil else { return [self] }
        var filter = self
        filter.times = times ?? CalendarDay.all.times
        filter.isLatestFirst = limit != nil
        // One more than wanted shows whether others have the same time.
        if let limit { filter.pageSize = min(limit, 999) + 1 }
        return [[.opening], Movement.Kind.allCases.filter { $0 != .opening }].map { kinds in
            filter.kinds = kinds
            return filter
        }
    }

    /// Returns the filter for one of the movements of a command, which may have been lost before.
    static func made(by command: String) -> MovementFilter {
        MovementFilter(command: command, kinds: Movement.Kind.allCases.filter { $0 != .void }, pageSize: 1)
    }

    /// Returns the filter for the deletions of records, and for the openings that took some back.
    static func ends(of skus: [SKU]) -> MovementFilter {
        MovementFilter(oneOfSKUs: skus, kinds: [.deletion, .opening])
    }

    var query: RequestQuery {
        var query = RequestQuery()
        query.add("sku", sku.map { JSONValue.string($0.text).text() })
        query.add("in_sku", oneOfSKUs?.map { JSONValue.string($0.text).text() }.joined(separator: ","))
        query.add("command", command.map { JSONValue.string($0).text() })
        query.add("till", till.map { JSONValue.string($0).text() })
        query.add("min_id", ids.map { JSONValue.string($0.lowerBound).text() })
        query.add("lt_id", ids.map { JSONValue.string($0.upperBound).text() })
        query.add("in_undoes", undone?.map { JSONValue.string($0).text() }.joined(separator: ","))
        let names = kinds.map { JSONValue.string($0.rawValue).text() }.joined(separator: ",")
        query.add("in_kind", names.isEmpty ? nil : names)
        query.add("min_time.at", times?.lowerBound)
        query.add("lt_time.at", times?.upperBound)
        // The embedded store has an index of times, for lists of some kinds that are sorted by them.
        query.add("_sort", times == nil ? "id" : isLatestFirst ? "-time.at" : "time.at")
        query.add("_limit", pageSize)
        return query
    }
}

typealias MovementPage = Page<Movement>
