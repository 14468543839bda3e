import RecordKitJSON
import RecordKit

/// The settings of a server.
struct ServerSettings: Sendable {
    /// The maximum number of requests in a batch.
    let batchLimit: Int
}

extension ServerSettings: KintoReadable {
    init(_ response: KintoResponse) throws {
        let settings: JSONView = try response.body.value("settings")
        batchLimit = try settings.optional("batch_max_requests") ?? 25
    }
}

/// The kinds of payment, which are in the metadata of the shop's collection of records.
extension PaymentKinds: KintoReadable {
    init(_ response: KintoResponse) throws {
        self.init(added: try response.data(as: JSONView.self).optional("payment_kinds") ?? [])
    }

    /// Returns the request that stores the kinds.
    func write(in bucket: String) -> Write {
        Write(
            path: ShopPath.collection(ShopPath.records, in: bucket),
            data: ["payment_kinds": .array(added.map { .string($0) })], method: .patch)
    }
}
