import Foundation

/// The state of an encoding, which its encoders and containers share.
///
/// A pointer, since the access to a property of a class is checked for exclusivity, which would take half of the time.
final class EncodingState {
    let list: UnsafeMutablePointer<NodeList>
    let writer: JSONWriter

    init(_ writer: JSONWriter) {
        self.writer = writer
        list = .allocate(capacity: 1)
        list.initialize(to: NodeList(writer))
    }

    deinit {
        list.pointee.deallocate()
        list.deinitialize(count: 1)
        list.deallocate()
    }
}

/// An encoder of the value of one node.
struct NodeEncoder: Encoder {
    let state: EncodingState
    let node: Int

    var codingPath: [any CodingKey] { state.list.pointee.path(to: node) }
    var userInfo: [CodingUserInfoKey: Any] { state.writer.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        state.list.pointee.open(node, as: .object)
        return KeyedEncodingContainer(MemberEncoding<Key>(state: state, object: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        state.list.pointee.open(node, as: .array)
        return ElementEncoding(state: state, array: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleEncoding(state: state, node: node)
    }
}

// Values.
extension EncodingState {
    @inline(__always)
    func set(_ node: Int, _ bool: Bool) {
        list.pointee.set(node) { $0.append(bool ? "true" : "false") }
    }

    @inline(__always)
    func set(_ node: Int, _ string: String) {
        let escapes = list.pointee.escapesSlashes
        list.pointee.set(node) { $0.append(string: string, escapingSlashes: escapes) }
    }

    @inline(__always)
    func set<Integer: FixedWidthInteger>(_ node: Int, _ integer: Integer) {
        list.pointee.set(node) { $0.append(integer) }
    }

    func setNull(_ node: Int) {
        list.pointee.set(node) { $0.append("null") }
    }

    func set<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ node: Int, float number: Number) throws {
        if number.isFinite {
            return list.pointee.set(node) { $0.append(text: FloatText.text(number)) }
        }
        guard case .convertToString(let positive, let negative, let nan) = writer.nonConformingFloatEncodingStrategy
        else { throw invalid(number, node, "JSON has no number for infinity and NaN.") }
        set(node, number.isNaN ? nan : number < 0 ? negative : positive)
    }

    /// Encodes a value of any type. If it fails, the node is removed.
    func set<Value: Encodable>(_ node: Int, value: Value) throws {
        do {
            // The casts can't fail, since the types were compared. `as?` in place of the comparison would take longer.
            if Value.self == String.self { return set(node, value as! String) }
            if Value.self == Date.self { return try set(node, date: value as! Date) }
            if Value.self == URL.self { return set(node, (value as! URL).absoluteString) }
            if Value.self == Data.self { return set(node, (value as! Data).base64EncodedString()) }
            if Value.self == Decimal.self { return try set(node, decimal: value as! Decimal) }
            if list.pointee.convertsNames, Value.self is any NameKeyed.Type { list.pointee.keepNames(node) }
            try value.encode(to: NodeEncoder(state: self, node: node))
        } catch {
            list.pointee.remove(node)
            throw error
        }
    }

    private func set(_ node: Int, date: Date) throws {
        switch writer.dateEncodingStrategy {
        case .deferredToDate: try date.encode(to: NodeEncoder(state: self, node: node))
        case .secondsSince1970: try set(node, float: date.timeIntervalSince1970)
        case .millisecondsSince1970: try set(node, float: date.timeIntervalSince1970 * 1_000)
        case .iso8601: set(node, DateText.text(date, hasFraction: false))
        case .iso8601WithFractionalSeconds: set(node, DateText.text(date, hasFraction: true))
        case .custom(let write): try write(date, NodeEncoder(state: self, node: node))
        }
    }

    private func set(_ node: Int, decimal: Decimal) throws {
        guard decimal.isFinite else { throw invalid(decimal, node, "JSON has no number for NaN.") }
        list.pointee.set(node) { $0.append(text: decimal.description) }
    }

    /// Returns the error for a value, and removes its node.
    private func invalid(_ value: Any, _ node: Int, _ description: String) -> EncodingError {
        let path = list.pointee.path(to: node)
        list.pointee.remove(node)
        return .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: description))
    }
}
