import RecordKit
import RecordKitStreaming

/// The requests for the movements of a shop. The environment is the server.
enum LedgerService {
    /// The request for one movement.
    struct One: InventoryEndpoint {
        typealias ValueType = Movement

        let id: String
        let bucket: String

        var path: RequestPath { ShopPath.object(id, of: Ledger.collection, in: bucket) }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { try Movement($0.data()) }
        }
    }

    /// The request for a page of movements.
    struct Many: InventoryEndpoint, PagedRequest {
        typealias ValueType = MovementPage

        let query: RequestQuery
        let bucket: String

        var path: RequestPath { ShopPath.list(Ledger.collection, in: bucket) }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { try MovementPage($0) }
        }

        func items(of page: MovementPage) -> [Movement] { page.movements }

        func next(after page: NetworkReply<MovementPage>) -> NextPage<Self>? {
            page.value.next.map { .request(Many(query: $0, bucket: bucket)) }
        }
    }
}

/// The conditions of a list of movements, as far as a server can check them.
struct MovementFilter: Sendable, Hashable {
    var sku: SKU?
    /// The SKUs of several records.
    var oneOfSKUs: [SKU]?
    var command: String?
    var till: String?
    /// The ids of movements, for those that take them back.
    var undone: [String]?
    /// Empty for all kinds.
    var kinds: [Movement.Kind] = []
    /// Milliseconds since 1970. The movements are then in the order of their times.
    var times: Range<Int64>?
    /// Whether the latest come first, if there are `times`.
    var isLatestFirst = false
    var pageSize = 1_000

    /// The number of ids in one request. Servers and proxies limit the length of a URL, and an id is chosen by the user,
    /// with up to 255 characters.
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

    var query: RequestQuery {
        var query = RequestQuery()
        query.add("sku", sku.map { JSONValue.string($0.text).text() })
        query.add("in_sku", oneOfSKUs?.map { JSONValue.string($0.text).text() }.joined(separator: ","))
        query.add("command", command.map { JSONValue.string($0).text() })
        query.add("till", till.map { JSONValue.string($0).text() })
        query.add("in_undoes", undone?.map { JSONValue.string($0).text() }.joined(separator: ","))
        if !kinds.isEmpty {
            query.add("in_kind", kinds.map { JSONValue.string($0.rawValue).text() }.joined(separator: ","))
        }
        query.add("min_at", times?.lowerBound)
        query.add("lt_at", times?.upperBound)
        // The embedded store has an index of times, for lists of some kinds that are sorted by them.
        query.add("_sort", times == nil ? "id" : isLatestFirst ? "-at" : "at")
        query.add("_limit", pageSize)
        return query
    }
}

/// A page of movements, and of those that cannot be read. Leaves out other objects of the collection.
struct MovementPage: Sendable {
    private(set) var movements: [Movement] = []
    private(set) var unreadable: [UnreadableMovement] = []
    let next: RequestQuery?

    init(_ response: NetworkResponse) throws {
        next = response.nextQuery
        for object in try response.data(as: [JSONObject].self) {
            do {
                movements.append(try Movement(object))
            } catch let error as UnreadableMovement {
                let isOther = error.id == Ledger.anchorID || error.id.hasPrefix(Ledger.slotPrefix)
                if !isOther { unreadable.append(error) }
            }
        }
    }
}
