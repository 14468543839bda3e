import Foundation

// Types with which every way of Codable is tried.

struct Album: Codable, Equatable, Sendable {
    struct Label: Codable, Equatable, Sendable {
        var name: String
        var country: String?
    }
    struct Track: Codable, Equatable, Sendable {
        var number: Int
        var title: String
        var seconds: Double
    }
    enum Format: String, Codable, Sendable {
        case vinyl
        case disc
    }
    var id: String
    var title: String
    var year: Int?
    var price: Decimal
    var isSold: Bool
    var formats: [Format]
    var label: Label?
    var tracks: [Track]
    var links: [String: URL]
    var counts: [Int: UInt8]
    var cover: Data?

    static let sample = Album(
        id: "LP-0042", title: "Midwinter \"Sessions\" / é🎷\n", year: 1971, price: Decimal(string: "18.50") ?? 0,
        isSold: false, formats: [.vinyl, .disc], label: Label(name: "Aurora", country: nil),
        tracks: [Track(number: 1, title: "Polar Night", seconds: 187.25), Track(number: 2, title: "", seconds: 1e-7)],
        links: ["shop": URL(string: "https://example.com/a?b=c") ?? URL(filePath: "/")], counts: [1: 2, -3: 255],
        cover: Data([0, 1, 254, 255]))
}

enum Payment: Codable, Equatable {
    case cash
    case card(number: String, year: Int)
    case voucher(Int)
}

class Item: Codable {
    var id: Int
    init(id: Int) { self.id = id }
}

final class RecordItem: Item {
    var title: String
    init(id: Int, title: String) {
        self.title = title
        super.init(id: id)
    }
    private enum CodingKeys: CodingKey { case title }
    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decode(String.self, forKey: .title)
        try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        try super.encode(to: container.superEncoder())
    }
}

/// A class whose members are in the object of its superclass.
final class FlatItem: Item {
    var title: String
    init(id: Int, title: String) {
        self.title = title
        super.init(id: id)
    }
    private enum CodingKeys: CodingKey { case title, id }
    required init(from decoder: any Decoder) throws {
        title = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .title)
        try super.init(from: decoder)
    }
    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        // Replaces what the superclass has encoded.
        try container.encode(id + 1, forKey: .id)
    }
}

/// Containers that are used one within the other, and in turn.
struct Interleaved: Codable, Equatable {
    var values: [Int] = [1, 2, 3]

    init() {}

    enum CodingKeys: CodingKey { case first, second, third }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var first = try container.nestedUnkeyedContainer(forKey: .first)
        let second = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .second)
        values = [
            try first.decode(Int.self), try second.decode(Int.self, forKey: .first),
            try container.decode(Int.self, forKey: .third),
        ]
        var inner = try first.nestedUnkeyedContainer()
        if try !inner.decodeNil() { throw CocoaError(.coderInvalidValue) }
        let last = try first.nestedContainer(keyedBy: CodingKeys.self)
        if try !last.decodeNil(forKey: .third) { throw CocoaError(.coderInvalidValue) }
        if !first.isAtEnd || first.currentIndex != 3 || first.count != 3 { throw CocoaError(.coderInvalidValue) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var first = container.nestedUnkeyedContainer(forKey: .first)
        var second = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .second)
        let third = container.superEncoder(forKey: .third)
        try first.encode(values[0])
        try second.encode(values[1], forKey: .first)
        var inner = first.nestedUnkeyedContainer()
        var last = first.nestedContainer(keyedBy: CodingKeys.self)
        try inner.encodeNil()
        try last.encodeNil(forKey: .third)
        var single = third.singleValueContainer()
        try single.encode(values[2])
    }
}

struct Numbers: Codable, Equatable {
    var a: Int8?
    var b: Int16?
    var c: Int32?
    var d: Int64?
    var e: UInt?
    var f: UInt8?
    var g: UInt16?
    var h: UInt32?
    var i: UInt64?
    var j: Float?
    var k: Double?
    var l: Int?
}

struct SnakeKeys: Codable, Equatable {
    var firstName = "Ada"
    var homePageURL = "x"
    var aB = 1
    var _private = 2
    var names = ["keepThis": 1, "and_this": 2]
}

struct Dated: Codable, Equatable {
    var date: Date
}
