import RecordKit

/// What a server says of itself.
enum ServerService: InventoryEndpoint {
    typealias ValueType = ServerSettings

    case settings

    /// Kinto's root ends with a slash.
    var path: RequestPath { "/" }
}

struct ServerSettings: Decodable, Sendable {
    /// How many requests one batch may hold.
    let batchLimit: Int

    private enum Name: String, CodingKey {
        case settings
        case batchLimit = "batch_max_requests"
    }

    init(from decoder: any Decoder) throws {
        let settings = try decoder.container(keyedBy: Name.self).nestedContainer(keyedBy: Name.self, forKey: .settings)
        batchLimit = try settings.decodeIfPresent(Int.self, forKey: .batchLimit) ?? 25
    }
}
