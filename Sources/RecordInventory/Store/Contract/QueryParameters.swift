import Foundation

/// The items of a query in order: `title=Blue&min_quantity=1`.
///
/// Collects the values of a name that comes several times.
struct QueryParameters {
    private(set) var items: [(name: String, values: [String])] = []

    /// The maximum number of names. More would make statements that SQLite takes long to prepare.
    static let maximumCount = 200

    init(_ query: String?) throws(StoreRefusal) {
        for pair in (query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
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

    /// Parses a value as JSON, or returns it as a string.
    static func value(_ text: String) -> JSONValue {
        (try? JSONReader.read(Array(text.utf8))) ?? .string(text)
    }
}
