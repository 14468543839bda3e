import RecordKit

extension RouteTemplate {
    /// A value as the standard knows it (RFC 6570 section 2.3).
    enum Value {
        case text(String)
        case list([String])
        case pairs([(name: String, value: String)])
    }

    /// The value of a variable; nil when it is undefined.
    static func value(of name: String, in values: Values) throws(Mistake) -> Value? {
        guard let given = values[name] else {
            throw Mistake(variable: name, reason: "the value of {\(name)} is missing")
        }
        switch given {
        case nil: return nil
        case let text as String: return .text(text)
        case let number as Int: return .text(String(number))
        case let value?: return try encoded(value, name)
        }
    }

    /// Reads the names that the value gets as `v` in a query with brackets: `v` for text, `v[]` for the elements of a list,
    /// `v[key]` for the members of an object.
    private static func encoded(_ value: any Encodable, _ name: String) throws(Mistake) -> Value? {
        let query = RequestQuery(["v": value], using: QueryEncoder(arrays: .brackets))
        if let problem = query.problem {
            throw Mistake(variable: name, reason: "the value of {\(name)} has no text: \(reason(of: problem))")
        }
        guard let first = query.items.first else { return nil }
        if first.name == "v" { return .text(first.value) }
        let keys = query.items.map { String($0.name.dropFirst(2).dropLast()) }
        if keys.contains(where: { $0.contains("][") }) {
            throw Mistake(variable: name, reason: "the value of {\(name)} is nested; a template takes no list of lists")
        }
        if keys.allSatisfy(\.isEmpty) { return .list(query.items.map(\.value)) }
        return .pairs(zip(keys, query.items).map { ($0, $1.value) })
    }

    /// Returns what an encoder reported, without the value that it could not encode.
    private static func reason(of error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context) = error else { return "\(error)" }
        return context.debugDescription
    }
}

extension RouteTemplate.Expression {
    func expanded(with values: RouteTemplate.Values) throws(RouteTemplate.Mistake) -> String {
        var result = ""
        // One that is empty is the first all the same (RFC 6570 section 3.2.1).
        var isFirst = true
        for variable in variables {
            guard let value = try RouteTemplate.value(of: variable.name, in: values) else { continue }
            result += isFirst ? kind.first : kind.separator
            isFirst = false
            let name = variable.name
            switch (value, variable.modifier) {
            case (.text(let text), .prefix(let length)):
                result += named(name, String(String.UnicodeScalarView(text.unicodeScalars.prefix(length))))
            case (.text(let text), _):
                result += named(name, text)
            case (_, .prefix):
                throw RouteTemplate.Mistake(
                    variable: name, reason: "{\(name):…} takes the beginning of a text, and its value is none")
            case (.list(let list), .explode):
                result += list.map { named(name, $0) }.joined(separator: kind.separator)
            case (.pairs(let pairs), .explode):
                let items = pairs.map { pair in
                    encoded(pair.name) + (pair.value.isEmpty && kind.isNamed ? kind.ifEmpty : "=") + encoded(pair.value)
                }
                result += items.joined(separator: kind.separator)
            case (.list(let list), .none):
                result += joined(name, list)
            case (.pairs(let pairs), .none):
                result += joined(name, pairs.flatMap { [$0.name, $0.value] })
            }
        }
        return result
    }

    private func encoded(_ value: String) -> String {
        PercentEncoding.encoded(value, allowed: kind.allowed, keepsEscapes: kind.keepsEscapes)
    }

    private func named(_ name: String, _ value: String) -> String {
        kind.isNamed ? name + (value.isEmpty ? kind.ifEmpty : "=") + encoded(value) : encoded(value)
    }

    private func joined(_ name: String, _ values: [String]) -> String {
        (kind.isNamed ? name + "=" : "") + values.map(encoded).joined(separator: ",")
    }
}
