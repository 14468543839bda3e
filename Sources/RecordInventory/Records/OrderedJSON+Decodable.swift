import Foundation

/// Reads any JSON value. The order of an object's members is lost; they come by their names.
extension OrderedJSON: Decodable {
    /// The name of a member, whatever it is.
    struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: Name.self) {
            self = .object(try Self.members(of: object) { _ in true })
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let decimal = try? value.decode(Decimal.self) {
            self = .decimal(decimal)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else {
            self = .array(try value.decode([OrderedJSON].self))
        }
    }

    /// Those members of an object whose names are wanted.
    static func members(
        of object: KeyedDecodingContainer<Name>, where isWanted: (Name) -> Bool
    ) throws -> [Member] {
        try object.allKeys.filter(isWanted).sorted { $0.stringValue < $1.stringValue }.map {
            Member(name: $0.stringValue, value: try object.decode(OrderedJSON.self, forKey: $0))
        }
    }
}
