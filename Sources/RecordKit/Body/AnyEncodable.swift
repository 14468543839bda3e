import Foundation

/// A value of any type, which is encoded according to its dynamic type.
struct AnyEncodable: Encodable {
    private let value: Any

    init(_ value: Any) {
        self.value = value
    }

    /// Encodes the value.
    ///
    /// - Throws: `EncodingError` if the value is not encodable.
    func encode(to encoder: any Encoder) throws {
        if let plain {
            // In a container, the encoder applies its strategies for dates, data and numbers.
            var container = encoder.singleValueContainer()
            try container.encode(plain)
        } else if let object = value as? [String: Any] {
            // Encodes a dictionary, since key strategies don't apply to the keys of one.
            var container = encoder.singleValueContainer()
            try container.encode(object.mapValues { AnyEncodable($0) })
        } else if let array = value as? [Any] {
            var elements = encoder.unkeyedContainer()
            for value in array { try elements.encode(AnyEncodable(value)) }
        } else {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath, debugDescription: "\(type(of: value)) is not Encodable")
            throw EncodingError.invalidValue(value, context)
        }
    }

    /// The value that is encoded as `null`.
    private static let null: any Encodable & Sendable = Bool?.none

    /// The value as an `Encodable` one, or `nil` if it has to be encoded element by element or not at all.
    private var plain: (any Encodable)? {
        switch value {
        case let value as any Encodable: return value
        case is [String: Any], is [Any]: return nil
        case is NSNull: return Self.null
        case let number as NSDecimalNumber: return number.decimalValue
        case let number as NSNumber:
            switch UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "c"), UInt8(ascii: "B"): return number.boolValue
            case UInt8(ascii: "f"): return number.floatValue
            case UInt8(ascii: "d"): return number.doubleValue
            case UInt8(ascii: "Q"): return number.uint64Value
            default: return number.int64Value
            }
        case let string as NSString: return string as String
        default:
            // An `Any` may contain an `Optional` that a cast doesn't unwrap.
            let mirror = Mirror(reflecting: value)
            if mirror.displayStyle != .optional { return nil }
            guard let wrapped = mirror.children.first?.value else { return Self.null }
            return AnyEncodable(wrapped)
        }
    }
}
