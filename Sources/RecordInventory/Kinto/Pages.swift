import RecordKitJSON
import RecordKit

/// What a collection of a shop stores: records or movements.
protocol StoredItem: KintoReadable {
    static var collection: String { get }

    /// - Throws: ``Unreadable`` for an object with an id, and ``JSONFault`` for anything else.
    init(_ object: JSONView) throws

    /// Returns whether an object that cannot be read is none of the items.
    static func isOther(_ error: Unreadable) -> Bool
}

extension StoredItem {
    static func isOther(_ error: Unreadable) -> Bool { false }

    init(_ response: KintoResponse) throws { try self.init(response.data(as: JSONView.self)) }
}

/// A page of a list.
protocol KintoPage: KintoReadable {
    associatedtype Item: Sendable

    var items: [Item] { get }
    /// The query of the next page, or `nil` on the last.
    var next: RequestQuery? { get }
}

/// A page of objects as they are stored. Fails if one of them cannot be read.
struct ObjectPage<Item: JSONReadable & Sendable>: KintoPage {
    let items: [Item]
    let next: RequestQuery?
    /// The version of the list.
    let version: Int64?

    init(_ response: KintoResponse) throws {
        items = try response.data()
        next = response.nextQuery
        version = response.headers["ETag"].flatMap { Int64($0.trimmed { !$0.isNumber }) }
    }
}

/// A page of records or movements. One that cannot be read does not affect the others.
struct Page<Item: StoredItem>: KintoPage {
    private(set) var items: [Item] = []
    private(set) var unreadable: [Unreadable] = []
    let next: RequestQuery?

    var isEmpty: Bool { items.isEmpty && unreadable.isEmpty }

    /// Returns the items. Throws if one of them cannot be read.
    func allItems() throws(InventoryError) -> [Item] {
        if let error = unreadable.first { throw .unreadable(error) }
        return items
    }

    init(_ response: KintoResponse) throws {
        next = response.nextQuery
        for object in try response.data(as: [JSONView].self) {
            do {
                items.append(try Item(object))
            } catch let error as Unreadable {
                if !Item.isOther(error) { unreadable.append(error) }
            }
        }
    }
}

typealias RecordPage = Page<StoredRecord>
