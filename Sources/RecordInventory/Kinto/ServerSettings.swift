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
        // Messages name them.
        kinds.added = (try object.optional("payment_kinds") ?? [String]()).map(\.printable)
        usualPayment = (try object.optional("default_payment") as String?).flatMap { try? kinds.kind($0) }
        smallestCoin = (try object.optional("smallest_coin") as String?)?.printable
        dayEnd = min(max(try object.optional("day_end") ?? 0, Self.dayEnds.lowerBound), Self.dayEnds.upperBound)
        hasDecimalComma = object.last("decimal_comma")?.bool == true
    }

    private var json: JSONObject {
        [
            "payment_kinds": .array(kinds.added.map { .string($0) }), "default_payment": JSONValue(usualPayment),
            "smallest_coin": JSONValue(smallestCoin),
            "day_end": JSONValue(dayEnd), "decimal_comma": .bool(hasDecimalComma),
        ]
    }

    /// Returns the request that stores what differs from earlier settings. Another till may change the others
    /// meanwhile.
    func write(over old: ShopSettings, in bucket: String) -> Write {
        let changed = json.members.filter { old.json[$0.name] != $0.value }
        return Write(
            path: ShopPath.collection(ShopPath.records, in: bucket), data: .object(JSONObject(changed)), method: .patch)
    }
}
