import Foundation
import RecordKit

/// The first place in which two JSON texts differ.
struct JSONDifference {
    /// Such as `items[2].quantity`; empty for the whole.
    let place: String
    /// Nil when nothing was.
    let expected: String?
    /// Nil when there is nothing.
    let received: String?

    /// Nil when they mean the same.
    ///
    /// - Parameter isSensitive: whether the values of a name are not told.
    static func first(_ expected: Any, _ received: Any, isSensitive: (String) -> Bool) -> JSONDifference? {
        first(expected, received, at: "", isSensitive)
    }

    private static func first(
        _ expected: Any?, _ received: Any?, at place: String, _ isSensitive: (String) -> Bool
    ) -> JSONDifference? {
        switch (expected, received) {
        case (let expected as [String: Any], let received as [String: Any]):
            for name in Set(expected.keys).union(received.keys).sorted() {
                let inner = place.isEmpty ? name : "\(place).\(name)"
                let difference =
                    if isSensitive(name) {
                        sensitive(expected[name], received[name], at: inner)
                    } else {
                        first(expected[name], received[name], at: inner, isSensitive)
                    }
                if let difference { return difference }
            }
            return nil
        case (let expected as [Any], let received as [Any]):
            for index in 0..<max(expected.count, received.count) {
                let one = index < expected.count ? expected[index] : nil
                let other = index < received.count ? received[index] : nil
                if let difference = first(one, other, at: "\(place)[\(index)]", isSensitive) { return difference }
            }
            return nil
        default:
            if same(expected, received) { return nil }
            return JSONDifference(
                place: place, expected: expected.map { text(redacted($0, isSensitive)) },
                received: received.map { text(redacted($0, isSensitive)) })
        }
    }

    private static func sensitive(_ expected: Any?, _ received: Any?, at place: String) -> JSONDifference? {
        if same(expected, received) { return nil }
        return JSONDifference(
            place: place, expected: expected == nil ? nil : "another value",
            received: received == nil ? nil : "redacted")
    }

    /// A whole object may stand where nothing is expected, with sensitive members.
    private static func redacted(_ value: Any, _ isSensitive: (String) -> Bool) -> Any {
        switch value {
        case let object as [String: Any]:
            Dictionary(
                uniqueKeysWithValues: object.map { name, value in
                    (name, isSensitive(name) ? "redacted" : redacted(value, isSensitive))
                })
        case let list as [Any]: list.map { redacted($0, isSensitive) }
        default: value
        }
    }

    /// By what they are written as: to Foundation true and 1 are the same number.
    private static func same(_ one: Any?, _ other: Any?) -> Bool {
        (one == nil) == (other == nil) && [serialized(one)].hasSameBytes(as: [serialized(other)])
    }

    private static func text(_ value: Any) -> String {
        let text = serialized(value)
        return text.count > 80 ? text.prefix(77) + "…" : text
    }

    private static func serialized(_ value: Any?) -> String {
        guard let value else { return "" }
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: options) else { return "\(value)" }
        return String(decoding: data, as: UTF8.self)
    }
}
