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
