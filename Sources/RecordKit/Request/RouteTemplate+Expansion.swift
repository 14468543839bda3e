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
            try QueryNode(sink, name: name, path: [QueryKey(stringValue: name)]).encodeValue(value)
        } catch {
            throw Mistake(variable: name, reason: "the value of {\(name)} has no text: \(CodingReason.of(error))")
        }
        let values = sink.finish().map(\.value)
        guard let depth = sink.paths.map(\.count).max(), let last = sink.paths.first?.last else { return nil }
        guard depth <= 2, sink.paths.allSatisfy({ $0.count == depth }) else {
            throw Mistake(variable: name, reason: "the value of {\(name)} is nested; a template takes no list of lists")
        }
        if depth == 1 { return values.first.map { .text($0) } }
        if last is QueryKey, last.intValue != nil { return .list(values) }
        return .pairs(zip(sink.paths, values).map { ($0.last?.stringValue ?? "", $1) })
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
            switch (value, variable.modifier) {
            case (.text(let text), .prefix(let length)):
                append(variable.name, String(String.UnicodeScalarView(text.unicodeScalars.prefix(length))), to: &result)
            case (.text(let text), _):
                append(variable.name, text, to: &result)
            case (_, .prefix):
                throw RouteTemplate.Mistake(
                    variable: variable.name,
                    reason: "{\(variable.name):…} takes the beginning of a text, and its value is none")
            case (.list(let list), .explode):
                appendEach(list, to: &result) { element, result in
                    if kind.isNamed {
                        append(variable.name, element, to: &result)
                    } else {
                        append(element, to: &result)
                    }
                }
            case (.pairs(let pairs), .explode):
                appendEach(pairs, to: &result) { pair, result in
                    append(pair.name, to: &result)
                    result += pair.value.isEmpty && kind.isNamed ? kind.ifEmpty : "="
                    append(pair.value, to: &result)
                }
            case (.list(let list), .none):
                append(variable.name, joining: list, to: &result)
            case (.pairs(let pairs), .none):
                append(variable.name, joining: pairs.flatMap { [$0.name, $0.value] }, to: &result)
            }
        }
        return result
    }

    private func append(_ value: String, to result: inout String) {
        if kind.keepsEscapes {
            PercentEncoding.append(keepingEscapes: value[...], to: &result, allowed: kind.allowed)
        } else {
            PercentEncoding.append(value, to: &result)
        }
    }

    private func append(_ name: String, _ value: String, to result: inout String) {
        if kind.isNamed { result += name + (value.isEmpty ? kind.ifEmpty : "=") }
        append(value, to: &result)
    }

    private func append(_ name: String, joining values: [String], to result: inout String) {
        if kind.isNamed { result += name + "=" }
        for (index, value) in values.enumerated() {
            if index > 0 { result += "," }
            append(value, to: &result)
        }
    }

    private func appendEach<Element>(
        _ elements: [Element], to result: inout String, append: (Element, inout String) -> Void
    ) {
        for (index, element) in elements.enumerated() {
            if index > 0 { result += kind.separator }
            append(element, &result)
        }
    }
}
