/// Parses XML 1.0 (fifth edition) with namespaces and without an internal document type, in one pass. Time and memory
/// are linear in the length of the document.
///
/// The sections in comments are those of the XML specification.
struct XMLTreeParser {
    /// An element whose end tag hasn't been read yet.
    private struct OpenElement {
        let qualifiedName: String
        let name: String
        let namespace: String?
        let attributes: [String: String]
        let isNil: Bool
        /// The prefixes that the element declares.
        let prefixes: [String]
        var children: [XMLTree] = []
        var text = ""
    }

    private let bytes: [UInt8]
    private var position = 0
    private var open: [OpenElement] = []
    /// The namespaces that each prefix was declared for, the innermost last. The default namespace has no prefix.
    private var namespaces: [String: [String]] = ["xml": ["http://www.w3.org/XML/1998/namespace"]]
    private let depthLimit: Int
    private let nodeLimit: Int
    private var nodes = 0
    private var root: XMLTree?

    init(_ bytes: [UInt8], depthLimit: Int, nodeLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
        self.nodeLimit = nodeLimit
    }

    mutating func parse() throws(XMLTreeError) -> XMLTree {
        if bytes.dropFirst(5).first.map(Self.spaces.contains) == true, takes("<?xml") {
            try skip(past: "?>", "the declaration is not closed")
        }
        while position < bytes.count {
            if open.isEmpty {
                try parseOutside()
            } else if next == UInt8(ascii: "<") {
                try parseMarkup()
            } else {
                let text = try takeText()
                open[open.count - 1].text += text
            }
        }
        if let unclosed = open.last { throw malformed("<\(unclosed.qualifiedName)> is not closed") }
        guard let root else { throw malformed("there is no element") }
        return root
    }

    /// Parses what is before and after the root element.
    private mutating func parseOutside() throws(XMLTreeError) {
        skipSpace()
        guard position < bytes.count else { return }
        if takes("<!DOCTYPE") {
            if root != nil { throw malformed("a document type follows the root element") }
            try skipDocumentType()
        } else if next != UInt8(ascii: "<") {
            throw malformed("there is text outside of the root element")
        } else if root != nil, bytes[position...].dropFirst().first.map(Self.nameStarts.contains) == true {
            throw malformed("there is more than one root element")
        } else {
            try parseMarkup()
        }
    }

    /// Parses markup, which begins with `<`.
    private mutating func parseMarkup() throws(XMLTreeError) {
        if takes("<!--") {
            try skip(past: "--", "a comment is not closed")
            guard takes(">") else { throw malformed("there is -- in a comment") }
        } else if takes("<?") {
            if try takeName().lowercased() == "xml" { throw malformed("there is a declaration after the beginning") }
            try skip(past: "?>", "a processing instruction is not closed")
        } else if !open.isEmpty, takes("<![CDATA[") {
            let start = position
            try skip(past: "]]>", "a CDATA section is not closed")
            open[open.count - 1].text += text(start..<position - 3)
        } else if takes("</") {
            try close(takeName())
            skipSpace()
            guard takes(">") else { throw malformed("an end tag is not closed") }
        } else if takes("<") {
            let isEmpty = try parseStartTag()
            if isEmpty, let name = open.last?.qualifiedName { try close(name) }
        }
    }

    private mutating func close(_ qualifiedName: String) throws(XMLTreeError) {
        guard let element = open.popLast() else {
            throw malformed("</\(qualifiedName)> closes an element that isn't open")
        }
        guard element.qualifiedName == qualifiedName else {
            throw malformed("<\(element.qualifiedName)> isn't closed before </\(qualifiedName)>")
        }
        for prefix in element.prefixes { namespaces[prefix]?.removeLast() }
        var tree = XMLTree(
            name: element.name, namespace: element.namespace, attributes: element.attributes,
            children: element.children, text: element.text)
        tree.isNil = element.isNil
        if open.isEmpty { root = tree } else { open[open.count - 1].children.append(tree) }
    }

    /// Skips a document type up to its `>`. An internal subset may declare entities, so it is refused.
    private mutating func skipDocumentType() throws(XMLTreeError) {
        var quote: UInt8?
        while let byte = next {
            switch byte {
            case quote: quote = nil
            case _ where quote != nil: break
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "["): throw .declaredEntities(line: line)
            case UInt8(ascii: ">"):
                position += 1
                return
            default: break
            }
            position += 1
        }
        throw malformed("the document type is not closed")
    }
}

extension XMLTreeParser {
    /// Parses a start tag after its `<`. Returns whether the element is empty: `/>`.
    private mutating func parseStartTag() throws(XMLTreeError) -> Bool {
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
                    // The prefix may be another one of the same namespace (Namespaces in XML section 6.3).
                    guard resolved.insert([name, namespace]).inserted else {
                        throw malformed("the attribute \(qualifiedName) occurs twice")
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
                throw malformed("\(name) declares no namespace")
            }
            let earlier =
                isDeclaration
                ? declarations.updateValue(value, forKey: String(name.dropFirst(6)))
                : attributes.updateValue(value, forKey: name)
            if earlier != nil { throw malformed("the attribute \(name) occurs twice") }
        }
    }

    private static let schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"

    private mutating func count() throws(XMLTreeError) {
        nodes += 1
        if nodes > nodeLimit { throw .tooLarge(limit: nodeLimit) }
    }

    /// Returns a name without its prefix, and the namespace of the prefix.
    private func resolve(_ qualifiedName: String) throws(XMLTreeError) -> (name: String, namespace: String?) {
        let parts = qualifiedName.split(separator: ":", omittingEmptySubsequences: false)
        for part in parts {
            guard parts.count <= 2, let first = part.utf8.first, Self.nameStarts.contains(first) else {
                throw malformed("\(qualifiedName) isn't a valid name")
            }
        }
        let prefix = parts.count == 2 ? String(parts[0]) : ""
        let namespace = namespaces[prefix]?.last
        if namespace == nil, !prefix.isEmpty { throw malformed("the prefix of \(qualifiedName) is not declared") }
        return (String(parts[parts.count - 1]), namespace?.isEmpty == true ? nil : namespace)
    }

    private mutating func takeQuoted(of name: String) throws(XMLTreeError) -> String {
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
                // Line ends and tabs are spaces in an attribute (section 3.3.3).
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

    /// Parses text and references up to the next `<`.
    private mutating func takeText() throws(XMLTreeError) -> String {
        var value = ""
        var start = position
        while let byte = next, byte != UInt8(ascii: "<") {
            switch byte {
            case UInt8(ascii: "&"):
                value += text(start..<position)
                value.unicodeScalars.append(try takeReference())
                start = position
            case UInt8(ascii: "]") where bytes[position...].starts(with: "]]>".utf8):
                throw malformed("there is ]]> in text")
            default:
                try check(byte)
                position += 1
            }
        }
        return value + text(start..<position)
    }

    /// Parses a reference: `&amp;` and the other four, `&#65;`, `&#x41;` (sections 4.1 and 4.6).
    private mutating func takeReference() throws(XMLTreeError) -> Unicode.Scalar {
        let (start, names) = (position + 1, Self.names)
        var end = start
        while end < bytes.count, names.contains(bytes[end]) || bytes[end] == UInt8(ascii: "#") { end += 1 }
        guard end > start, end < bytes.count, bytes[end] == UInt8(ascii: ";") else {
            throw malformed("there is & without a reference")
        }
        let name = text(start..<end)
        let scalar: Unicode.Scalar?
        switch name {
        case "amp": scalar = "&"
        case "lt": scalar = "<"
        case "gt": scalar = ">"
        case "quot": scalar = "\""
        case "apos": scalar = "'"
        case _ where name.hasPrefix("#x"): scalar = number(name.dropFirst(2), radix: 16)
        case _ where name.hasPrefix("#"): scalar = number(name.dropFirst(), radix: 10)
        default: throw .unknownEntity(String(name.prefix(100)), line: line)
        }
        guard let scalar else { throw malformed("a reference isn't a valid character") }
        position = end + 1
        return scalar
    }

    /// Returns a character, if XML allows it (section 2.2).
    private func number(_ digits: Substring, radix: Int) -> Unicode.Scalar? {
        guard digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: radix),
            let scalar = Unicode.Scalar(value), value >= 32 || value == 9 || value == 10 || value == 13,
            value != 0xFFFE, value != 0xFFFF
        else { return nil }
        return scalar
    }
}

extension XMLTreeParser {
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The line of the position. Counted only for errors.
    private var line: Int { bytes.prefix(position).reduce(1) { $1 == 0x0A ? $0 + 1 : $0 } }

    private func malformed(_ reason: String) -> XMLTreeError {
        .malformed(reason, line: line)
    }

    /// Skips a literal if it comes next. Returns whether it does.
    private mutating func takes(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard position + length <= bytes.count else { return false }
        for index in 0..<length where bytes[position + index] != literal.utf8Start[index] { return false }
        position += length
        return true
    }

    private mutating func skip(past literal: StaticString, _ failure: String) throws(XMLTreeError) {
        let first = literal.utf8Start[0]
        while let byte = next {
            if byte == first, takes(literal) { return }
            try check(byte)
            position += 1
        }
        throw malformed(failure)
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let (start, spaces) = (position, Self.spaces)
        while let next, spaces.contains(next) { position += 1 }
        return position > start
    }

    /// Checks that XML allows a character. Control characters, U+FFFE and U+FFFF aren't allowed (section 2.2).
    private func check(_ byte: UInt8) throws(XMLTreeError) {
        if byte < 32, byte != 0x09, byte != 0x0A, byte != 0x0D { throw malformed("there is a control character") }
        // U+FFFE and U+FFFF in UTF-8.
        if byte == 0xEF, position + 2 < bytes.count, bytes[position + 1] == 0xBF, bytes[position + 2] >= 0xBE {
            throw malformed("U+FFFE and U+FFFF aren't characters")
        }
    }

    private mutating func takeName() throws(XMLTreeError) -> String {
        let (start, names) = (position, Self.names)
        guard let first = next, Self.nameStarts.contains(first) else { throw malformed("a name is missing") }
        while let byte = next, names.contains(byte) { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        guard name.utf8.count <= 1000, name.unicodeScalars.allSatisfy({ $0.isASCII || Self.isLetter($0) }) else {
            throw malformed("a name is longer than 1000 bytes, or contains a character that isn't allowed")
        }
        return name
    }

    /// Returns bytes as a string, with each line end as a line feed (section 2.11).
    private func text(_ range: Range<Int>) -> String {
        let slice = bytes[range]
        guard slice.contains(0x0D) else { return String(decoding: slice, as: UTF8.self) }
        var result: [UInt8] = []
        result.reserveCapacity(slice.count)
        for (index, byte) in zip(slice.indices, slice) {
            if byte != 0x0D {
                result.append(byte)
            } else if index + 1 == bytes.count || bytes[index + 1] != 0x0A {
                result.append(0x0A)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns whether a name may contain a character beyond ASCII (section 2.3).
    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xB7, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x203F...0x2040,
            0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        default: false
        }
    }

    private static let spaces = ByteTable(" \t\n\r")

    /// The bytes that a name may begin with. Characters beyond ASCII are checked with the whole name.
    private static let nameStarts = ByteTable(letters + "_:", hasNonASCII: true)

    private static let names = ByteTable(letters + "_:0123456789-.", hasNonASCII: true)

    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
}

/// A set of bytes. It is looked up for every byte of a document.
private struct ByteTable: Sendable {
    private let table: [Bool]

    /// Creates a set.
    ///
    /// - Parameters:
    ///   - characters: The ASCII characters in the set.
    ///   - hasNonASCII: Whether the bytes of all other characters are in the set.
    init(_ characters: String, hasNonASCII: Bool = false) {
        var table = [Bool](repeating: false, count: 128) + [Bool](repeating: hasNonASCII, count: 128)
        for byte in characters.utf8 { table[Int(byte)] = true }
        self.table = table
    }

    func contains(_ byte: UInt8) -> Bool { table[Int(byte)] }
}
