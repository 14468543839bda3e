import Foundation
import RecordKit

/// A record for sale, as JSON of one kilobyte.
struct Listing: Codable, Sendable, Hashable, NetworkEncodable {
    var sku: String
    var artist: String
    var title: String
    var year: Int
    var price: Price
    var notes: String

    struct Price: Codable, Sendable, Hashable {
        var amount: Int
        var currency: String
    }

    static let sample = Listing(
        sku: "LP-0042", artist: "The Northern Lights", title: "Midwinter Sessions", year: 1971,
        price: Price(amount: 1850, currency: "EUR"), notes: String(repeating: "plays well ", count: 80))

    var json: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)) ?? Data()
    }
}
