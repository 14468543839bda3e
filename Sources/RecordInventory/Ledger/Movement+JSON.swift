import RecordKitJSON

extension Movement {
    /// The movement as printed, with decimals, and without the version of the record.
    var printedJSON: JSONValue {
        var printed = self
        printed.after = nil
        return printed.json.printed
    }
}

extension Movement: StoredItem {
    static let collection = Ledger.collection

    /// The collection also has objects that only take a version.
    static func isOther(_ error: Unreadable) -> Bool {
        error.id == Ledger.anchorID || error.id.hasPrefix(Ledger.slotPrefix)
    }

    init(_ object: JSONView) throws {
        let id: String = try object.value("id")
        do throws(JSONFault) {
            self = try object.decoded()
            // Servers differ in the order of members.
            changes = changes?.map { Change(field: $0.field, from: $0.from.sorted(), to: $0.to.sorted()) }
            guard Self.quantities.contains(quantity) else { throw JSONFault.invalid("out of range").within("quantity") }
            guard sku != .none || Self.kindsWithoutRecord.contains(kind) else {
                throw JSONFault(problem: nil).within("sku")
            }
        } catch {
            throw Unreadable(movement: id, of: try? object.value("sku"), reason: error.description)
        }
    }
}

// What has no record has no SKU. The code that the compiler makes for `Codable` types calls these functions for a SKU,
// since they are more specific than those of the standard library.
extension KeyedDecodingContainer {
    func decode(_ type: SKU.Type, forKey key: Key) throws -> SKU { try decodeIfPresent(type, forKey: key) ?? .none }
}

extension KeyedEncodingContainer {
    mutating func encode(_ sku: SKU, forKey key: Key) throws {
        try encodeIfPresent(sku == .none ? nil : sku, forKey: key)
    }
}
