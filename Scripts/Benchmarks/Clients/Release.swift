import Foundation
import RecordKit

/// A record with its tracks, as JSON of one kilobyte with members of every kind.
struct Release: Codable, Sendable, Hashable, NetworkEncodable {
    var id: String
    var title: String
    var artist: String
    var year: Int
    var price: Double
    var inStock: Bool
    var genres: [String]
    var label: Label
    var tracks: [Track]
    var notes: String?

    struct Label: Codable, Sendable, Hashable {
        var name: String
        var country: String
    }

    struct Track: Codable, Sendable, Hashable {
        var number: Int
        var title: String
        var seconds: Int
    }

    static let sample = Release(
        id: "LP-0042", title: "Midwinter Sessions", artist: "The Northern Lights", year: 1971, price: 18.5,
        inStock: true, genres: ["Jazz", "Fusion", "Live"], label: Label(name: "Aurora Records", country: "Norway"),
        tracks: (1...8).map { Track(number: $0, title: "Polar Night, Part \($0)", seconds: 180 + $0 * 7) },
        notes: String(repeating: "Plays well. ", count: 26))

    var json: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)) ?? Data()
    }
}
