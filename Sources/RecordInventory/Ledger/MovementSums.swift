import Foundation
import RecordKit
import RecordKitJSON

/// Sales, returns, trade-ins and vouchers, added up by kind, currency and payment, and perhaps by SKU and what the sale
/// noted.
///
/// The embedded store adds them up itself. On a server they are read page by page. Either way memory holds the sums
/// alone.
struct MovementSums: Sendable, Equatable {
    struct Key: Hashable, Codable, Sendable {
        let kind: Movement.Kind
        /// `nil` for movements without a price.
        let currency: Currency?
        let payment: String?
        let sku: SKU?
        /// What else the sums are grouped by, such as the day.
        var group: String?
        /// The genre, format or consignor that the record had when it was sold, empty if it had none. `nil` if the sale
        /// doesn't note it.
        var noted: String?
    }

    /// Which sums are those of one SKU.
    enum SKUs: String, Sendable {
        /// Those of movements that don't note the field.
        case unnoted
        case all
    }

    /// What a sale notes of its record, for sums.
    enum Field: String, Sendable {
        case genre, format, consignor

        var path: WritableKeyPath<Movement.Item, String?> {
            switch self {
            case .genre: \.genre
            case .format: \.format
            case .consignor: \.consignor
            }
        }
    }

    /// Amounts in minor units.
    struct Sum: Equatable, Codable, Sendable {
        /// The copies that went out.
        var copiesOut = 0
        /// The copies that came in.
        var copiesIn = 0
        /// What was paid, less what was given back.
        var paid: Int64 = 0
        var discounts: Int64 = 0
        /// The part of `paid` that comes of rounded cash.
        var rounding: Int64 = 0
        /// The copies that went out whose cost is known, less those that came in.
        var copiesWithCost = 0
        /// What was paid for those copies, less their cost.
        var margin: Int64 = 0

        mutating func add(_ other: Sum) throws(Overflow) {
            copiesOut = try copiesOut.adding(other.copiesOut)
            copiesIn = try copiesIn.adding(other.copiesIn)
            paid = try paid.adding(other.paid)
            discounts = try discounts.adding(other.discounts)
            try rounding.add(other.rounding)
            copiesWithCost = try copiesWithCost.adding(other.copiesWithCost)
            margin = try margin.adding(other.margin)
        }
    }

    static let kinds: [Movement.Kind] = [.sale, .return, .tradeIn, .voucher]
    /// The kinds that are takings.
    static let sold: [Movement.Kind] = [.sale, .return]

    private(set) var sums: [Key: Sum] = [:]
    /// Which sums are those of one SKU. `nil` if none are.
    let skus: SKUs?
    /// What is noted by which the sums are divided, too.
    var field: Field?

    /// Adds a movement, perhaps to the sums of a group.
    ///
    /// - Throws: ``Overflow`` if a sum overflows.
    mutating func add(_ movement: Movement, group: String? = nil) throws(Overflow) {
        let paid = movement.paid
        let noted = field.flatMap { field in movement.item.map { $0[keyPath: field.path] ?? "" } }
        let hasSKU = movement.sku != .none && (skus == .all || skus == .unnoted && noted == nil)
        func key(_ payment: String?) -> Key {
            Key(
                kind: movement.kind, currency: paid?.currency, payment: payment,
                sku: hasSKU ? movement.sku : nil, group: group, noted: noted)
        }
        var sum = Sum()
        let copies = movement.quantity
        if copies < 0 {
            sum.copiesOut = try sum.copiesOut.subtracting(copies)
        } else {
            sum.copiesIn = try sum.copiesIn.adding(copies)
        }
        if let paid {
            for (payment, amount) in try movement.shares(of: paid.amount) {
                try sums[key(payment), default: Sum()].paid.add(amount)
            }
            let discount = movement.discount ?? 0
            sum.rounding = movement.rounding ?? 0
            sum.discounts = try copies > 0 ? sum.discounts.subtracting(discount) : sum.discounts.adding(discount)
            if let cost = movement.cost, Self.sold.contains(movement.kind) {
                sum.copiesWithCost = try sum.copiesWithCost.subtracting(copies)
                sum.margin = try sum.margin.adding(paid.amount).adding(cost.multiplied(by: Int64(copies)))
            }
        }
        try sums[key(movement.payment), default: Sum()].add(sum)
    }
}

extension MovementSums {
    /// A sum, as the embedded store sends it.
    private struct Row: Codable {
        let key: Key
        let sum: Sum
    }

    /// The JSON of the sums.
    func encoded() throws -> Data { try JSONWriter().encode(sums.map { Row(key: $0, sum: $1) }) }

    /// Reads the sums of the embedded store. Throws if one of them is of no known kind or currency.
    init(_ rows: JSONView, _ skus: SKUs?, _ field: Field?) throws {
        self.init(skus: skus, field: field)
        for row in try rows.decode([Row].self) { sums[row.key] = row.sum }
    }
}

extension Stock {
    /// Checks the file of the embedded store. Throws if it is damaged.
    func checkFile() async throws(InventoryError) {
        _ = try await server.value(for: Get<KintoResponse>(path: ShopPath.check))
    }

    /// Adds up the sales, returns, trade-ins and vouchers of some days.
    ///
    /// - Parameters:
    ///   - hour: The hour at which a day ends.
    ///   - group: Returns what else to group the sums by. The store cannot do that: each movement is read.
    ///   - unreadable: Receives each movement that cannot be read.
    func sums(
        of days: ClosedRange<CalendarDay>, endingAt hour: Int = 0, _ skus: MovementSums.SKUs? = nil,
        _ field: MovementSums.Field? = nil, by group: ((Movement) -> String?)? = nil,
        unreadable: (Unreadable) -> Void
    ) async throws -> MovementSums {
        let request = SumsRequest(days: days, dayEnd: hour, skus: skus, field: field, bucket: bucket)
        if group == nil, let sums = try await server.value(for: request) { return sums }
        var sums = MovementSums(skus: skus, field: field)
        try await eachMovementPage(MovementFilter(kinds: MovementSums.kinds, times: days.times)) { page in
            for error in page.unreadable { unreadable(error) }
            for movement in page.items where days.contains(movement.time.day(endingAt: hour)) {
                if movement.hasSummableAmounts {
                    try sums.add(movement, group: group?(movement))
                } else {
                    unreadable(.tooLarge(movement))
                }
            }
            return true
        }
        return sums
    }
}

/// The request for sums. The result is `nil` if the server cannot add up, as Kinto.
struct SumsRequest: InventoryEndpoint {
    typealias ValueType = MovementSums?

    let days: ClosedRange<CalendarDay>
    let dayEnd: Int
    let skus: MovementSums.SKUs?
    let field: MovementSums.Field?
    let bucket: String

    var path: RequestPath { ShopPath.sums(in: bucket) }

    var query: RequestQuery {
        var query = RequestQuery()
        query.add("from", days.lowerBound.number)
        query.add("to", days.upperBound.number)
        query.add("hour", dayEnd)
        query.add("skus", skus?.rawValue)
        query.add("field", field?.rawValue)
        return query
    }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            let rows = try JSONView(stored: response.body).last("data")
            return rows.flatMap { try? MovementSums($0, skus, field) }
        }
    }

    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        if case .status(let response) = error, [403, 404].contains(response.statusCode) { return .success(nil) }
        return .failure(InventoryError(error))
    }
}

extension ClosedRange<CalendarDay> {
    /// The times of the days, with a day more on both sides: the tills may be in several zones.
    var times: Range<Int64> {
        let day: Int64 = 86_400_000
        return (Int64(lowerBound.number) - 1) * day..<(Int64(upperBound.number) + 2) * day
    }
}
