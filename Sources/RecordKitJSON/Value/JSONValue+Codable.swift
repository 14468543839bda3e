import Foundation

// With the coders of this module the values pass as they are. With others they are described as well as Codable can.

extension JSONValue: Codable {
    /// Decodes a value.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? TapeDecoder {
            self = decoder.tape.tree(decoder.index)
            return
        }
        if let container = try? decoder.container(keyedBy: JSONKey.self) {
            self = .object(
                JSONObject(
                    try container.allKeys.map { key in
                        JSONObject.Member(
                            name: key.stringValue, value: try container.decode(JSONValue.self, forKey: key))
                    }))
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let bool = try? container.decode(Bool.self) {
                self = .bool(bool)
            } else if let string = try? container.decode(String.self) {
                self = .string(string)
            } else {
                self = .number(try container.decode(JSONNumber.self))
            }
        }
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? NodeEncoder {
            encoder.state.list.pointee.set(encoder.node, tree: self)
            return
        }
        switch self {
        case .object(let object):
            var container = encoder.container(keyedBy: JSONKey.self)
            for member in object.members { try container.encode(member.value, forKey: JSONKey(member.name)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let bool): try bool.encode(to: encoder)
        case .string(let string): try string.encode(to: encoder)
        case .number(let number): try number.encode(to: encoder)
        }
    }
}

extension JSONNumber: Codable {
    /// Decodes a number.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? TapeDecoder {
            guard case .number(let number) = decoder.tape.tree(decoder.index) else {
                throw decoder.tape.mismatch(JSONNumber.self, decoder.index)
            }
            self = number
            return
        }
        let container = try decoder.singleValueContainer()
        if let integer = try? container.decode(Int64.self) {
            self.init(integer)
        } else if let decimal = try? container.decode(Decimal.self), decimal.isFinite {
            self.init(checked: decimal.description)
        } else if let number = JSONNumber(try container.decode(Double.self)) {
            // A decimal has exponents from -128 to 127.
            self = number
        } else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "JSON has no number for infinity and NaN.")
        }
    }

    /// Encodes the number.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? NodeEncoder {
            encoder.state.list.pointee.set(encoder.node) { $0.append(text: text) }
            return
        }
        var container = encoder.singleValueContainer()
        if let integer: Int64 = integer() {
            try container.encode(integer)
        } else if let decimal {
            try container.encode(decimal)
        } else if let double {
            try container.encode(double)
        } else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "The number is too large."))
        }
    }
}

extension JSONObject: Codable {
    /// Decodes an object.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? TapeDecoder, decoder.tape[decoder.index].kind != .object {
            throw decoder.tape.mismatch(JSONObject.self, decoder.index)
        }
        guard let object = try JSONValue(from: decoder).object else {
            throw DecodingError.typeMismatch(
                JSONObject.self,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "Expected an object."))
        }
        self = object
    }

    /// Encodes the object.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.object(self).encode(to: encoder)
    }
}
