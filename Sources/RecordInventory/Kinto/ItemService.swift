import RecordKit
import RecordKitStreaming

/// What a collection of a shop stores: records or movements.
protocol StoredItem: Sendable {
    /// Why an object of the collection cannot be read.
    associatedtype Unreadable: Error

    static var collection: String { get }

    /// - Throws: ``Unreadable`` for an object with an id, and ``JSONFault`` for anything else.
    init(_ object: JSONObject) throws

    /// Returns whether an object that cannot be read is none of the items.
    static func isOther(_ error: Unreadable) -> Bool
}

/// The requests for what a shop stores. Their environment is the server.
enum ItemService {
    /// The request for one item.
    struct One<Item: StoredItem>: InventoryEndpoint {
        typealias ValueType = Item

        let id: String
        let bucket: String

        var path: RequestPath { ShopPath.object(id, of: Item.collection, in: bucket) }

        func handleResponse(_ response: NetworkResponse) -> Result<Item, InventoryError> {
            accept(response) { try Item($0.data()) }
        }
    }

    /// The request for a page of items.
    struct Many<Item: StoredItem>: InventoryEndpoint, PagedRequest {
        typealias ValueType = Page<Item>

        let query: RequestQuery
        let bucket: String

        var path: RequestPath { ShopPath.list(Item.collection, in: bucket) }

        func handleResponse(_ response: NetworkResponse) -> Result<Page<Item>, InventoryError> {
            accept(response) { try Page($0) }
        }

        func items(of page: Page<Item>) -> [Item] { page.items }

        func next(after page: NetworkReply<Page<Item>>) -> NextPage<Self>? {
            page.value.next.map { .request(Many(query: $0, bucket: bucket)) }
        }
    }
}

extension ItemService {
    /// The request for the number of objects in a collection, or `nil` if the server does not say it.
    struct Count: InventoryEndpoint {
        typealias ValueType = Int?

        let collection: String
        let bucket: String

        var path: RequestPath { ShopPath.list(collection, in: bucket) }
        var method: HTTPMethod { .head }

        func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
            accept(response) { $0.headers["Total-Objects"].flatMap { Int($0) } }
        }
    }
}

/// A page of a list. An object that cannot be read does not affect the others.
struct Page<Item: StoredItem>: Sendable {
    private(set) var items: [Item] = []
    private(set) var unreadable: [Item.Unreadable] = []
    /// The query of the next page, or `nil` on the last.
    let next: RequestQuery?

    init(_ response: NetworkResponse) throws {
        next = response.nextQuery
        for object in try response.data(as: [JSONObject].self) {
            do {
                items.append(try Item(object))
            } catch let error as Item.Unreadable {
                if !Item.isOther(error) { unreadable.append(error) }
            }
        }
    }
}

typealias RecordPage = Page<StoredRecord>

extension RecordPage {
    var records: [StoredRecord] { items }
}

extension NetworkResponse {
    /// The query of the next page. Takes only the query of the URL, so that credentials are never sent to another server.
    var nextQuery: RequestQuery? {
        guard let url = headers["Next-Page"], let mark = url.firstIndex(of: "?") else { return nil }
        // Kinto encodes a space as a plus sign, as in forms, and a plus sign as `%2B`.
        return RequestQuery(parsing: String(url[mark...].dropFirst()))
    }
}
