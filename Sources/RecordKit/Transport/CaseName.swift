/// The name of a request's case, without its arguments.
package enum CaseName {
    /// `RecordService.One.fetch` for a case with or without arguments; the type's name for a struct.
    package static func of(_ request: any Sendable) -> String {
        let mirror = Mirror(reflecting: request)
        let type = typeName(mirror.subjectType)
        guard mirror.displayStyle == .enum else { return type }
        // A case without arguments has no children; its description is its name unless the type writes its own.
        return "\(type).\(mirror.children.first?.label ?? "\(request)")"
    }

    /// The full name without the module, nor that of a function around it.
    private static func typeName(_ type: Any.Type) -> String {
        let name = String(reflecting: type)
        let end = name.firstIndex(of: "<") ?? name.endIndex
        let parts = name[..<end].split(separator: ".").drop { $0.hasPrefix("(") }
        let plain = parts.dropFirst().filter { !$0.contains("(") && !$0.contains(")") }
        return plain.isEmpty ? String(name[..<end]) : plain.joined(separator: ".")
    }
}
