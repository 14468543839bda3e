import Foundation

/// The items of a query in order: `title=Blue&min_quantity=1`.
///
/// Collects the values of a name that comes several times.
struct QueryParameters {
    private(set) var items: [(name: String, values: [String])] = []

    /// The maximum number of names. More would make statements that SQLite takes long to prepare.
    static let maximumCount = 200

    init(_ query: String?) throws(StoreRefusal) {
        // `Character` is slow, and an import asks for many ids.
        for pair in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { Self.decoded($0) }
            guard let name = decoded[0], let value = decoded.count > 1 ? decoded[1] : "" else {
                throw StoreRefusal(status: 400, number: 107, error: "Bad Request", message: "The query is not UTF-8.")
            }
            if let known = items.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
                items[known].values.append(value)
            } else {
                guard items.count < Self.maximumCount else {
                    throw .invalid(.querystring, nil, "More than \(Self.maximumCount) parameters")
                }
                items.append((name, [value]))
            }
        }
    }

    func values(_ name: String) -> [String]? {
        items.first { $0.name == name }?.values
    }

    /// Returns a whole number, or `nil` if the value is missing or empty.
    func integer(_ name: String) throws(StoreRefusal) -> Int64? {
        guard let values = values(name), values != [""] else { return nil }
        let number: Int64? =
            switch values.count == 1 ? Self.value(values[0]) : .null {
            case .integer(let integer): integer
            case .number(let text): Double(text).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
            case .string(let text): Int64(text.trimmingCharacters(in: .whitespaces))
            default: nil
            }
        guard let number else {
            throw .invalid(.querystring, name, "\"\(values.joined(separator: ", "))\" is not a number")
        }
        guard number >= 0 else { throw .invalid(.querystring, name, "\(number) is less than minimum value 0") }
        return number
    }

    /// Returns the names between commas, without empty ones.
    func list(_ name: String) -> [String]? {
        values(name)?.flatMap { $0.split(separator: ",").map(String.init) }
    }

    /// Decodes plus signs and percent-encoded bytes, as in forms. Returns `nil` unless the result is UTF-8.
    private static func decoded(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexadecimal, let low = rest.popFirst()?.hexadecimal else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Parses a value as JSON, or returns it as a string.
    static func value(_ text: String) -> JSONValue {
        (try? JSONReader.read(Array(text.utf8))) ?? .string(text)
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit, or `nil` for another character.
    fileprivate var hexadecimal: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
