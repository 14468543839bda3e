/// The name of a request or an error: its type and its case, without arguments.
enum CaseName {
    /// Returns a name such as `RecordService.One.fetch`.
    ///
    /// Returns the type's name alone for a struct. The same applies to a case without arguments whose type has its own
    /// description, since that hides the case.
    static func of(_ value: any Sendable) -> String {
        let mirror = Mirror(reflecting: value)
        let type = typeName(mirror.subjectType)
        guard mirror.displayStyle == .enum else { return type }
        if let label = mirror.children.first?.label { return "\(type).\(label)" }
        // `NetworkError` has its own description.
        if case .cancelled? = value as? NetworkError { return "\(type).cancelled" }
        // A case without arguments has no children. Its description is its name.
        return value is any CustomStringConvertible ? type : "\(type).\(value)"
    }

    /// Returns the full name of a type without its module, and without a function that declares it.
    ///
    /// The module is `(extension in App):Shared` for a type nested in another module's type.
    private static func typeName(_ type: Any.Type) -> String {
        let name = withoutArguments(String(reflecting: type))
        let plain = name[...].parts(between: ".").dropFirst().filter { !brackets.containsAny(of: String($0)) }
        return plain.isEmpty ? name : plain.joined(separator: ".")
    }

    private static let brackets: ByteSet = "()"

    /// Removes generic arguments, such as those of `App.Resource<() -> Int>.One`.
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
