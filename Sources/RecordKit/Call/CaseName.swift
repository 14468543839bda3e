/// The name of a request's or an error's case, without its arguments.
enum CaseName {
    /// `RecordService.One.fetch` for a case with or without arguments; the type's name for a struct, and for a case
    /// without arguments of a type that writes its own description, which hides the case.
    static func of(_ value: any Sendable) -> String {
        let mirror = Mirror(reflecting: value)
        let type = typeName(mirror.subjectType)
        guard mirror.displayStyle == .enum else { return type }
        if let label = mirror.children.first?.label { return "\(type).\(label)" }
        // The library's own, with a description.
        if case .cancelled? = value as? NetworkError { return "\(type).cancelled" }
        // A case without arguments has no children; its description is its name.
        return value is any CustomStringConvertible ? type : "\(type).\(value)"
    }

    /// The full name without the module, which is `(extension in App):Shared` for a type within another module's, nor
    /// that of a function around it.
    private static func typeName(_ type: Any.Type) -> String {
        let name = withoutArguments(String(reflecting: type))
        let plain = name[...].parts(between: ".").dropFirst().filter { !brackets.containsAny(of: String($0)) }
        return plain.isEmpty ? name : plain.joined(separator: ".")
    }

    private static let brackets: ByteSet = "()"

    /// `App.Resource.One` for `App.Resource<() -> Int>.One`.
    private static func withoutArguments(_ name: String) -> String {
        var plain = ""
        var depth = 0
        var last: Character?
        for character in name {
            if character == "<" { depth += 1 }
            if depth == 0 { plain.append(character) }
            if character == ">", last != "-" { depth -= 1 }
            last = character
        }
        return plain
    }
}
