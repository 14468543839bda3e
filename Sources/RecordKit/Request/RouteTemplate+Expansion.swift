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

    private static func encoded(_ value: any Encodable, _ name: String) throws(Mistake) -> Value? {
        let sink = QuerySink(QueryEncoder())
        do {
            try QueryNode(sink, name: name, path: [AnyCodingKey(stringValue: name)]).encodeValue(value)
        } catch {
            throw Mistake(variable: name, reason: "the value of {\(name)} has no text: \(CodingReason.of(error))")
        }
        let (items, paths) = (sink.finish(), sink.paths)
        guard let first = paths.first, let last = first.last else { return nil }
        if first.count > 2 || paths.contains(where: { $0.count != first.count }) {
            throw Mistake(variable: name, reason: "the value of {\(name)} is nested; a template takes no list of lists")
        }
        if first.count == 1 { return .text(items[0].value) }
        if last is AnyCodingKey, last.intValue != nil { return .list(items.map { $0.value }) }
        return .pairs(items.indices.map { (paths[$0].last?.stringValue ?? "", items[$0].value) })
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
        var result = ""
        if kind.keepsEscapes {
            PercentEncoding.append(keepingEscapes: value[...], to: &result, allowed: kind.allowed)
        } else {
            PercentEncoding.append(value, to: &result)
        }
        return result
    }

    private func named(_ name: String, _ value: String) -> String {
        kind.isNamed ? name + (value.isEmpty ? kind.ifEmpty : "=") + encoded(value) : encoded(value)
    }

    private func joined(_ name: String, _ values: [String]) -> String {
        (kind.isNamed ? name + "=" : "") + values.map(encoded).joined(separator: ",")
    }
}
