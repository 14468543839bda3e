import Foundation
import RecordKitJSON

/// A value that is read from JSON.
protocol JSONReadable {
    init(json: JSONView) throws(JSONFault)
}

/// What is wrong with a member of a JSON object.
struct JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names of the member and of the objects around it, such as `price.amount`. Empty for the value itself.
    private(set) var path = ""
    /// The end of the sentence that begins with the path, or `nil` if the member is missing.
    let problem: String?

    static let wrongType = JSONFault(problem: "has the wrong type")

    /// The value has the right type, but cannot be used.
    static func invalid(_ reason: String) -> JSONFault { JSONFault(problem: "is invalid: \(reason)") }

    /// The fault as one of the object that has the value as a member.
    func within(_ name: String) -> JSONFault {
        var fault = self
        fault.path = path.isEmpty ? name : "\(name).\(path)"
        return fault
    }

    /// `it has no price.amount`, `its price.amount is null`
    var description: String { problem.map { "its \(path) \($0)" } ?? "it has no \(path)" }
}

extension JSONFault {
    /// Creates the fault that made decoding fail.
    init(_ error: any Error) {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context): self.init(nil, context, [key])
        case .valueNotFound(_, let context): self.init("is null", context)
        case .typeMismatch(_, let context): self.init(Self.wrongType.problem, context)
        case .dataCorrupted(let context):
            let cause = context.underlyingError as? JSONFault
            self.init(cause?.problem ?? "is invalid: \(context.debugDescription.printable)", context)
            if let cause, !cause.path.isEmpty { path += (path.isEmpty ? "" : ".") + cause.path }
        default: self = error as? JSONFault ?? .invalid("\(error)")
        }
    }

    private init(_ problem: String?, _ context: DecodingError.Context, _ last: [any CodingKey] = []) {
        self.init(problem: problem)
        path = (context.codingPath + last).filter { $0.intValue == nil }.map(\.stringValue).joined(separator: ".")
    }
}

/// A value that is stored as `Codable` describes it. Missing values are left out.
protocol StoredValue: JSONReadable, Codable, Sendable {}

extension StoredValue {
    init(json: JSONView) throws(JSONFault) { self = try json.decoded() }

    /// The JSON text of the value.
    var bytes: Data { (try? JSONWriter().encode(self)) ?? Data() }
    var json: JSONValue { (try? JSONValue(reading: bytes)) ?? .null }
}

/// A value that is read and written by hand, and may be a part of what is `Codable`.
protocol JSONContent: JSONReadable, Codable {
    var json: JSONValue { get }
}

extension JSONContent {
    init(from decoder: any Decoder) throws {
        do {
            try self.init(json: JSONView(from: decoder))
        } catch let fault as JSONFault {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: fault.description, underlyingError: fault))
        }
    }

    func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

extension JSONView {
    func decoded<Value: Decodable>() throws(JSONFault) -> Value {
        do {
            return try decode()
        } catch {
            throw JSONFault(error)
        }
    }
}

// Members of objects.
extension JSONView {
    /// Reads a member, or returns `nil` if it is missing or null.
    func optional<Value: JSONReadable>(_ name: String) throws(JSONFault) -> Value? {
        guard isObject else { throw .wrongType }
        guard let value = last(name), !value.isNull else { return nil }
        do {
            return try Value(json: value)
        } catch {
            throw error.within(name)
        }
    }

    /// Reads a member that every such object has.
    func value<Value: JSONReadable>(_ name: String) throws(JSONFault) -> Value {
        if let value: Value = try optional(name) { return value }
        throw JSONFault(problem: last(name).map { _ in "is null" }).within(name)
    }
}

extension JSONView: JSONReadable {
    init(json: JSONView) { self = json }
}

extension JSONObject: JSONReadable {
    init(json: JSONView) throws(JSONFault) {
        guard let object = json.tree.sorted().object else { throw .wrongType }
        self = object
    }
}

extension String: JSONReadable {
    init(json: JSONView) throws(JSONFault) {
        guard let string = json.string else { throw .wrongType }
        self = string
    }
}

extension Int64: JSONReadable {
    init(json: JSONView) throws(JSONFault) {
        guard let integer = json.integer else {
            throw json.number == nil ? .wrongType : .invalid("it is too large or not whole")
        }
        self = integer
    }
}

extension Int: JSONReadable {
    init(json: JSONView) throws(JSONFault) {
        self.init(try Int64(json: json))
    }
}

extension Array: JSONReadable where Element: JSONReadable {
    init(json: JSONView) throws(JSONFault) {
        guard let elements = json.elements else { throw .wrongType }
        self.init()
        for element in elements { append(try Element(json: element)) }
    }
}
