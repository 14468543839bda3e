/// Why XML could not be read.
public enum UnreadableXML: Error, Sendable, Equatable, CustomStringConvertible {
    /// It breaks the rules of XML, for a reason, in a line.
    case malformed(String, line: Int)
    /// It declares entities, or uses one that is not among the five of XML.
    case entity(line: Int)
    /// Elements lie in one another deeper than the limit.
    case tooDeep(limit: Int)
    /// There are more elements and attributes than the limit.
    case tooLarge(limit: Int)
    /// The bytes are in an encoding that is not known, or are not valid in it.
    case encoding(String)
    /// An element has nothing at a path.
    case missing(path: String, in: String)
    /// The text at a path cannot be read as a type.
    case mismatch(path: String, in: String, type: String)

    public var description: String {
        switch self {
        case .malformed(let reason, let line): "it is not well-formed XML: \(reason), in line \(line)"
        case .entity(let line): "it uses or declares an entity, which is refused, in line \(line)"
        case .tooDeep(let limit): "its elements lie deeper than \(limit) in one another"
        case .tooLarge(let limit): "it has more than \(limit) elements and attributes"
        case .encoding(let name):
            "its bytes are not valid in \(String(name.prefix(100)).debugDescription), or that encoding is not known"
        case .missing(let path, let name): "<\(name)> has no \(path)"
        case .mismatch(let path, let name, let type): "\(path) of <\(name)> is no \(type)"
        }
    }
}
