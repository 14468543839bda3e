import Foundation
import RecordKit

/// Compares the body of a request with the expected one.
enum BodyComparison {
    /// Returns a function that compares the body of a request with that of a call, or `nil` if bodies aren't compared.
    static func difference(from call: NetworkCall) -> (@Sendable (StubRequest) -> StubDifference?)? {
        guard let body = call.body else { return { difference(from: Data(), nil, to: $0) } }
        let type = MediaType(call.headers["Content-Type"] ?? body.contentType)
        guard case .data(let data) = body.content, !isMultipart(type) else { return nil }
        return { difference(from: data, type, to: $0) }
    }

    /// Returns how the body of a request differs.
    ///
    /// JSON and forms are compared by their meaning, multipart bodies without their boundaries, other bodies by their
    /// bytes.
    static func difference(from data: Data, _ type: MediaType?, to request: StubRequest) -> StubDifference? {
        if data == request.body { return nil }
        func isSensitive(_ name: String) -> Bool { request.headers.isSensitive(name) }
        if type?.isJSON == true, let expected = json(data), let received = json(request.body) {
            return JSONComparison.difference(expected, received, isSensitive: isSensitive)
        }
        if isForm(type), isForm(request.mediaType) {
            return formDifference(from: String(decoding: data, as: UTF8.self), to: request)
        }
        if isMultipart(type), areSame(data, type, request.body, request.mediaType) { return nil }
        return StubDifference(part: .body(place: ""), expected: size(data), received: size(request.body, beside: data))
    }

    private static func json(_ data: Data) -> Any? {
        try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    }

    private static func isMultipart(_ type: MediaType?) -> Bool {
        type?.essence.hasPrefix("multipart/") == true
    }

    private static func isForm(_ type: MediaType?) -> Bool {
        type?.essence == "application/x-www-form-urlencoded"
    }

    /// Returns the first field with different values. The order of the fields doesn't matter, but that of the values of
    /// one field does.
    private static func formDifference(from text: String, to request: StubRequest) -> StubDifference? {
        let (expected, received) = (RequestQuery(parsing: text).items, request.form)
        for item in expected + received {
            let one = expected.filter { $0.name == item.name }.map(\.value)
            let other = received.filter { $0.name == item.name }.map(\.value)
            if one.hasSameBytes(as: other) { continue }
            return StubDifference(
                .body(place: item.name), expected: one, received: other,
                isSensitive: request.headers.isSensitive(item.name))
        }
        return nil
    }

    /// Returns whether two multipart bodies have the same parts, JSON compared by its meaning. The boundary differs for
    /// each body.
    private static func areSame(_ one: Data, _ type: MediaType?, _ other: Data, _ otherType: MediaType?) -> Bool {
        guard let parts = MultipartPart.all(in: one, type), !parts.isEmpty,
            let others = MultipartPart.all(in: other, otherType)
        else { return false }
        return parts.elementsEqual(others) { part, otherPart in
            let (content, otherContent) = (one[part.content], other[otherPart.content])
            if part.head != otherPart.head { return false }
            if content == otherContent { return true }
            guard part.field("content-type").flatMap({ MediaType($0) })?.isJSON == true,
                let expected = json(content), let received = json(otherContent)
            else { return false }
            return JSONComparison.difference(expected, received, isSensitive: { _ in false }) == nil
        }
    }

    private static func size(_ data: Data, beside other: Data? = nil) -> String? {
        if data.isEmpty { return nil }
        return data.count == other?.count ? "other \(data.count) bytes" : "\(data.count) bytes"
    }
}

/// Compares JSON values.
enum JSONComparison {
    /// Returns the first difference, with its place, or `nil` if the values have the same meaning.
    ///
    /// - Parameters:
    ///   - expected: The expected value.
    ///   - received: The received value.
    ///   - place: The place of the values in the body.
    ///   - isSensitive: Returns whether the values of a name must not be printed.
    static func difference(
        _ expected: Any?, _ received: Any?, at place: String = "", isSensitive: (String) -> Bool
    ) -> StubDifference? {
        switch (expected, received) {
        case (let expected as [String: Any], let received as [String: Any]):
            for name in Set(expected.keys).union(received.keys).sorted() {
                let inner = place.isEmpty ? name : "\(place).\(name)"
                let found =
                    isSensitive(name)
                    ? sensitive(expected[name], received[name], at: inner)
                    : difference(expected[name], received[name], at: inner, isSensitive: isSensitive)
                if let found { return found }
            }
            return nil
        case (let expected as [Any], let received as [Any]):
            for index in 0..<max(expected.count, received.count) {
                let one = index < expected.count ? expected[index] : nil
                let other = index < received.count ? received[index] : nil
                let found = difference(one, other, at: "\(place)[\(index)]", isSensitive: isSensitive)
                if let found { return found }
            }
            return nil
        default:
            if same(expected, received) { return nil }
            return StubDifference(
                part: .body(place: place), expected: expected.map { shortened(redacted($0, isSensitive)) },
                received: received.map { shortened(redacted($0, isSensitive)) })
        }
    }

    private static func sensitive(_ expected: Any?, _ received: Any?, at place: String) -> StubDifference? {
        if same(expected, received) { return nil }
        return StubDifference(
            part: .body(place: place), expected: expected == nil ? nil : "another value",
            received: received == nil ? nil : "redacted")
    }

    /// Returns a value with its sensitive members redacted. An unexpected object may contain some.
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

    /// Compares values as they are written. For Foundation, `true` and 1 are equal numbers.
    private static func same(_ one: Any?, _ other: Any?) -> Bool {
        (one == nil) == (other == nil) && [serialized(one)].hasSameBytes(as: [serialized(other)])
    }

    private static func shortened(_ value: Any) -> String {
        let string = serialized(value)
        return string.count > 80 ? string.prefix(77) + "…" : string
    }

    private static func serialized(_ value: Any?) -> String {
        guard let value else { return "" }
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: options) else { return "\(value)" }
        return String(decoding: data, as: UTF8.self)
    }
}
