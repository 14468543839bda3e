import Foundation

/// A value of no known type, encoded by what it turns out to be.
struct AnyEncodable: Encodable {
    private let value: Any

    init(_ value: Any) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        switch value {
        case let value as any Encodable:
            // A container lets the encoder apply its rules for dates, data, URLs and numbers.
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case let object as [String: Any]:
            var members = encoder.container(keyedBy: Key.self)
            for (name, value) in object {
                try members.encode(AnyEncodable(value), forKey: Key(stringValue: name))
            }
        case let array as [Any]:
            var elements = encoder.unkeyedContainer()
            for value in array { try elements.encode(AnyEncodable(value)) }
        case is NSNull:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case let number as NSNumber:
            var container = encoder.singleValueContainer()
            switch UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "c"), UInt8(ascii: "B"): try container.encode(number.boolValue)
            case UInt8(ascii: "f"), UInt8(ascii: "d"): try container.encode(number.doubleValue)
            case UInt8(ascii: "Q"): try container.encode(number.uint64Value)
            default: try container.encode(number.int64Value)
            }
        case let string as NSString:
            var container = encoder.singleValueContainer()
            try container.encode(string as String)
        default:
            try encodeOptional(to: encoder)
        }
    }

    /// An `Any` may hold an Optional that no cast sees through.
    private func encodeOptional(to encoder: any Encoder) throws {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath, debugDescription: "\(type(of: value)) is not Encodable")
            throw EncodingError.invalidValue(value, context)
        }
        if let wrapped = mirror.children.first?.value {
            try AnyEncodable(wrapped).encode(to: encoder)
        } else {
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            return nil
        }
    }
}
