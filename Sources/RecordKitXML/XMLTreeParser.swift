/// Reads a document of XML 1.0 (fifth edition) with namespaces, without a document type of its own, in one pass and in
/// time and memory that grow with its length alone.
struct XMLTreeParser {
    /// An element whose end has not come.
    struct OpenElement {
        let qualifiedName: String
        let name: String
        let namespace: String?
        let attributes: [String: String]
        let isNil: Bool
        /// The prefixes that it declares.
        let prefixes: [String]
        var children: [XMLTree] = []
        var text = ""
    }

    let bytes: [UInt8]
    var position = 0
    var open: [OpenElement] = []
    /// For each prefix the namespaces it was declared for, the innermost last. The default namespace has no prefix.
    var namespaces: [String: [String]] = ["xml": ["http://www.w3.org/XML/1998/namespace"]]
    let depthLimit: Int
    let nodeLimit: Int
    var nodes = 0
    private var root: XMLTree?

    init(_ bytes: [UInt8], depthLimit: Int, nodeLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
        self.nodeLimit = nodeLimit
    }

    mutating func parse() throws(UnreadableXML) -> XMLTree {
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

    /// What may stand before and after the root element.
    private mutating func parseOutside() throws(UnreadableXML) {
        skipSpace()
        guard position < bytes.count else { return }
        if takes("<!DOCTYPE") {
            if root != nil { throw malformed("a document type follows the element") }
            try skipDocumentType()
        } else if next != UInt8(ascii: "<") {
            throw malformed("there is text outside of the element")
        } else if root != nil, bytes[position...].dropFirst().first.map(Self.nameStarts.contains) == true {
            throw malformed("there is more than one element")
        } else {
            try parseMarkup()
        }
    }

    /// What begins with `<`.
    private mutating func parseMarkup() throws(UnreadableXML) {
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

    private mutating func close(_ qualifiedName: String) throws(UnreadableXML) {
        guard let element = open.popLast(), element.qualifiedName == qualifiedName else {
            throw malformed("</\(qualifiedName)> closes what is not open")
        }
        for prefix in element.prefixes { namespaces[prefix]?.removeLast() }
        var tree = XMLTree(
            name: element.name, namespace: element.namespace, attributes: element.attributes,
            children: element.children, text: element.text)
        tree.isNil = element.isNil
        if open.isEmpty { root = tree } else { open[open.count - 1].children.append(tree) }
    }

    /// Up to its `>`. One with a subset of its own declares entities, or could.
    private mutating func skipDocumentType() throws(UnreadableXML) {
        var quote: UInt8?
        while let byte = next {
            switch byte {
            case quote: quote = nil
            case _ where quote != nil: break
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "["): throw .entity(line: line)
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
