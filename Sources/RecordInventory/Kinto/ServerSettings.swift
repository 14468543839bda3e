import RecordKitJSON
import RecordKit

/// The settings of a server.
struct ServerSettings: Sendable {
    /// The maximum number of requests in a batch.
    let batchLimit: Int

    /// Kinto's default, which every server accepts unless it was set lower.
    static let usualBatchLimit = 25
    /// The maximum for work in many batches, whatever the server says, since a batch is held in memory.
    var bulkLimit: Int { min(batchLimit, 1_000) }
}

extension ServerSettings: KintoReadable {
    init(_ response: KintoResponse) throws {
        let settings: JSONView = try response.body.value("settings")
        batchLimit = try settings.optional("batch_max_requests") ?? Self.usualBatchLimit
    }
}

/// The settings of a shop, which are in the metadata of its collection of records.
extension ShopSettings: KintoReadable {
    init(_ response: KintoResponse) throws {
        let object = try response.data(as: JSONView.self)
        kinds.added = try object.optional("payment_kinds") ?? []
        smallestCoin = try object.optional("smallest_coin")
        dayEnd = min(max(try object.optional("day_end") ?? 0, Self.dayEnds.lowerBound), Self.dayEnds.upperBound)
        hasDecimalComma = object.last("decimal_comma")?.bool == true
    }

    /// Returns the request that stores the settings.
    func write(in bucket: String) -> Write {
        Write(
            path: ShopPath.collection(ShopPath.records, in: bucket),
            data: [
                "payment_kinds": .array(kinds.added.map { .string($0) }), "smallest_coin": JSONValue(smallestCoin),
                "day_end": JSONValue(dayEnd), "decimal_comma": .bool(hasDecimalComma),
            ], method: .patch)
    }
}
