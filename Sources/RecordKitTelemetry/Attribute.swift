/// An attribute in OTLP's JSON.
struct Attribute: Encodable, Hashable {
    let key: String
    let value: Value

    enum Value: Encodable, Hashable {
        case string(String)
        case int(Int)
        case bool(Bool)

        private enum Key: String, CodingKey {
            case stringValue, intValue, boolValue
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.container(keyedBy: Key.self)
            switch self {
            case .string(let string): try value.encode(string, forKey: .stringValue)
            // 64-bit integers are decimal strings in the JSON of protocol buffers.
            case .int(let int): try value.encode(String(int), forKey: .intValue)
            case .bool(let bool): try value.encode(bool, forKey: .boolValue)
            }
        }
    }

    init(_ key: String, _ value: String) {
        (self.key, self.value) = (key, .string(value))
    }

    init(_ key: String, _ value: Int) {
        (self.key, self.value) = (key, .int(value))
    }

    init(_ key: String, _ value: Bool) {
        (self.key, self.value) = (key, .bool(value))
    }
}
