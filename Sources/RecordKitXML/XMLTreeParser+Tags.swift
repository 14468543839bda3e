extension XMLTreeParser {
    /// What follows `<`: a name, attributes, and `>` or `/>`. True for the latter.
    mutating func parseStartTag() throws(UnreadableXML) -> Bool {
        let qualifiedName = try takeName()
        if open.count == depthLimit { throw .tooDeep(limit: depthLimit) }
        try count()
        var attributes: [String: String] = [:]
        var declarations: [String: String] = [:]
        while true {
            let hadSpace = skipSpace()
            let isEmpty = takes("/>")
            if isEmpty || takes(">") {
                for (prefix, namespace) in declarations { namespaces[prefix, default: []].append(namespace) }
                let (name, namespace) = try resolve(qualifiedName)
                var isNil = false
                var resolved: Set<[String?]> = []
                for (qualifiedName, value) in attributes where qualifiedName.utf8.contains(UInt8(ascii: ":")) {
                    let (name, namespace) = try resolve(qualifiedName)
                    // By another prefix of the same namespace (Namespaces in XML section 6.3).
                    guard resolved.insert([name, namespace]).inserted else {
                        throw malformed("the attribute \(qualifiedName) is there twice")
                    }
                    if (name, namespace) == ("nil", Self.schemaInstance) { isNil = XMLTree.isTrue(value) }
                }
                open.append(
                    OpenElement(
                        qualifiedName: qualifiedName, name: name, namespace: namespace, attributes: attributes,
                        isNil: isNil, prefixes: Array(declarations.keys)))
                return isEmpty
            }
            guard hadSpace, next != nil else { throw malformed("the tag of <\(qualifiedName)> is not closed") }
            let name = try takeName()
            skipSpace()
            guard takes("=") else { throw malformed("the attribute \(name) has no value") }
            skipSpace()
            let value = try takeQuoted(of: name)
            try count()
            let isDeclaration = name == "xmlns" || name.hasPrefix("xmlns:")
            if name == "xmlns:" || isDeclaration && name != "xmlns" && value.isEmpty {
                throw malformed("\(name) declares nothing")
            }
            let earlier =
                isDeclaration
                ? declarations.updateValue(value, forKey: String(name.dropFirst(6)))
                : attributes.updateValue(value, forKey: name)
            if earlier != nil { throw malformed("the attribute \(name) is there twice") }
        }
    }

    private static let schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"

    private mutating func count() throws(UnreadableXML) {
        nodes += 1
        if nodes > nodeLimit { throw .tooLarge(limit: nodeLimit) }
    }

    /// The name without its prefix, and the namespace that the prefix stands for.
    private func resolve(_ qualifiedName: String) throws(UnreadableXML) -> (name: String, namespace: String?) {
        let parts = qualifiedName.split(separator: ":", omittingEmptySubsequences: false)
        for part in parts {
            guard parts.count <= 2, let first = part.utf8.first, Self.nameStarts.contains(first) else {
                throw malformed("\(qualifiedName) is no name")
            }
        }
        let prefix = parts.count == 2 ? String(parts[0]) : ""
        let namespace = namespaces[prefix]?.last
        if namespace == nil, !prefix.isEmpty { throw malformed("the prefix of \(qualifiedName) is not declared") }
        return (String(parts[parts.count - 1]), namespace?.isEmpty == true ? nil : namespace)
    }

    private mutating func takeQuoted(of name: String) throws(UnreadableXML) -> String {
        guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw malformed("the value of the attribute \(name) is not in quotes")
        }
        position += 1
        var value = ""
        var start = position
        while let byte = next {
            switch byte {
            case quote:
                value += text(start..<position)
                position += 1
                return value
            case UInt8(ascii: "&"):
                value += text(start..<position)
                value.unicodeScalars.append(try takeReference())
                start = position
            case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                // Each line end, and each tab, is a space in an attribute (section 3.3.3).
                value += text(start..<position) + " "
                position += byte == UInt8(ascii: "\r") && bytes[position...].dropFirst().first == 0x0A ? 2 : 1
                start = position
            case UInt8(ascii: "<"): throw malformed("there is < in the attribute \(name)")
            default:
                try check(byte)
                position += 1
            }
        }
        throw malformed("the attribute \(name) is not closed")
    }

    /// Text and references up to the next `<`.
    mutating func takeText() throws(UnreadableXML) -> String {
        var value = ""
        var start = position
        while let byte = next, byte != UInt8(ascii: "<") {
            switch byte {
            case UInt8(ascii: "&"):
                value += text(start..<position)
                value.unicodeScalars.append(try takeReference())
                start = position
            case UInt8(ascii: "]") where bytes[position...].starts(with: "]]>".utf8):
                throw malformed("there is ]]> in a text")
            default:
                try check(byte)
                position += 1
            }
        }
        return value + text(start..<position)
    }

    /// `&amp;` and its four kin, `&#65;`, `&#x41;` (sections 4.1 and 4.6).
    private mutating func takeReference() throws(UnreadableXML) -> Unicode.Scalar {
        let start = position + 1
        guard let length = bytes[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw malformed("there is & without a reference")
        }
        let name = text(start..<length)
        let scalar: Unicode.Scalar?
        switch name {
        case "amp": scalar = "&"
        case "lt": scalar = "<"
        case "gt": scalar = ">"
        case "quot": scalar = "\""
        case "apos": scalar = "'"
        case _ where name.hasPrefix("#x"): scalar = number(name.dropFirst(2), radix: 16)
        case _ where name.hasPrefix("#"): scalar = number(name.dropFirst(), radix: 10)
        default: throw .entity(line: line)
        }
        guard let scalar else { throw malformed("a reference is no character") }
        position = length + 1
        return scalar
    }

    /// A character that XML allows (section 2.2).
    private func number(_ digits: Substring, radix: Int) -> Unicode.Scalar? {
        guard digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: radix),
            let scalar = Unicode.Scalar(value), value >= 32 || value == 9 || value == 10 || value == 13,
            value != 0xFFFE, value != 0xFFFF
        else { return nil }
        return scalar
    }
}
