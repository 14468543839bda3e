import Foundation
import RecordKitJSON

/// Checks a document with the coders of RecordKitJSON. Types of several kinds are decoded as Foundation decodes them,
/// and what is encoded is decoded to the same value. No value is printed.
enum JSONFuzzing {
    private static let planted = "Zk7xQw93LmPd"

    /// Any JSON value, as Codable sees it.
    private indirect enum Node: Codable, Equatable {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case array([Node])
        case object([String: Node])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([Node].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Node].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .array(let value): try container.encode(value)
            case .object(let value): try container.encode(value)
            }
        }
    }

    private struct Item: Codable, Equatable {
        var id: Int?
        var name: String?
        var small: Int8?
        var price: Decimal?
        var parts: [Item]?
        var counts: [Int: UInt64]?
        var link: URL?
        var data: Data?
        var ratio: Float?
    }

    static func check(_ bytes: [UInt8]) {
        let data = Data(bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        compare(Node.self, data, text)
        compare(Item.self, data, text)
        compare([Item].self, data, text)
        compare([Int].self, data, text)
        compare([[String: Double?]].self, data, text)
        compare([Decimal].self, data, text)
        checkTree(bytes, text)
    }

    private static func compare<Value: Codable & Equatable>(_ type: Value.Type, _ data: Data, _ text: String) {
        let ours: Value
        do {
            ours = try JSONReader().decode(type, from: data)
        } catch {
            // The path has names, which aren't values.
            if "\(error)".contains(planted), !text.contains("\(planted)\"") { violation("no value is printed", text) }
            if !isMeant(data), !isPartly(error, data), let theirs = try? JSONDecoder().decode(type, from: data) {
                violation("\(type) is decoded as by Foundation", text, "\(error)", "\(theirs)")
            }
            return
        }
        if !isMeant(data) {
            let theirs = try? JSONDecoder().decode(type, from: data)
            if theirs != ours {
                violation("\(type) is decoded as by Foundation", text, "\(ours)", String(describing: theirs))
            }
        }
        var pretty = JSONWriter()
        pretty.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        for writer in [JSONWriter(), pretty] {
            guard let written = try? writer.encode(ours) else { violation("what was decoded is encoded", text) }
            if (try? JSONReader().decode(type, from: written)) != ours {
                violation(
                    "\(type) is decoded as it was encoded", text, String(decoding: written, as: UTF8.self), "\(ours)")
            }
        }
    }

    private static func checkTree(_ bytes: [UInt8], _ text: String) {
        let read: JSONValue
        do {
            read = try JSONValue(reading: bytes)
        } catch {
            return
        }
        guard let written = try? JSONWriter().encode(read), (try? JSONValue(reading: written)) == read,
            (try? JSONValue(reading: read.bytes(pretty: true))) == read,
            (try? JSONReader().decode(JSONValue.self, from: Data(bytes))) == read,
            read.sorted().sorted() == read.sorted()
        else { violation("a tree is read as it was written", text, read.text()) }
        if (try? JSONSerialization.jsonObject(with: Data(read.bytes()), options: .fragmentsAllowed)) == nil {
            // Foundation has no number for one that is larger than a Double, and reads no 0e5.
            if !isMeant(Data(bytes)) { violation("others can read what is written", read.text()) }
        }
    }

    /// Whether Foundation differs in numbers or encodings of the document: see the guide's table.
    private static func isMeant(_ data: Data) -> Bool {
        // A document with such a byte may be UTF-16.
        data.contains(0)
            || String(decoding: data, as: UTF8.self).contains(/0[eE]|[eE][-+]?0*[1-9]\d\d|[eE]-0*\d\d|\d{15}/)
    }

    /// Whether the document isn't JSON, in a part that Foundation didn't look at, or ends in a comma that it accepts.
    private static func isPartly(_ error: any Error, _ data: Data) -> Bool {
        guard case DecodingError.dataCorrupted(let context) = error, context.underlyingError is JSONSyntaxError else {
            return false
        }
        return (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) == nil
            || String(decoding: data, as: UTF8.self).contains(/,[ \t\r\n]*[\]}]/)
    }
}
