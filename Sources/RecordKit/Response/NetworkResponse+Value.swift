public import Foundation

extension NetworkResponse {
    /// Reads the response as `type`: a ``NetworkValue`` reads itself, `Void` reads nothing, everything else is decoded
    /// from the body. The status is not looked at; ``NetworkRequest/accept(_:reading:)`` does that.
    ///
    /// - Throws: what reading or decoding throws; ``Unreadable`` for an empty body or a type that cannot be read at
    ///   all.
    public func value<Value>(
        as type: Value.Type = Value.self, using decoder: any NetworkDecoder = JSONDecoder()
    ) throws -> Value {
        if stream != nil, type != NetworkResponse.self { throw Unreadable.stream }
        if let type = type as? any NetworkValue.Type {
            return try cast(type.read(self, using: decoder))
        }
        if type == Void.self {
            return try cast(())
        }
        guard let type = type as? any Decodable.Type else { throw Unreadable.noReading(of: TypeName.of(type)) }
        return try cast(decode(type, using: decoder))
    }

    /// What every `Decodable` value is read by.
    func decode<Value: Decodable>(_ type: Value.Type, using decoder: any NetworkDecoder) throws -> Value {
        if stream != nil { throw Unreadable.stream }
        if body.isEmpty { throw Unreadable.emptyBody }
        if decoder is PropertyListDecoder, PropertyListNesting.isTooDeep(body) {
            throw Unreadable.tooDeep(limit: PropertyListNesting.limit)
        }
        do {
            return try decoder.decode(type, from: body)
        } catch {
            guard let mediaType, mediaType.isHTML else { throw error }
            throw Unreadable.unexpectedType(mediaType, expected: decoder.contentType)
        }
    }

    private func cast<Value>(_ value: Any) throws -> Value {
        guard let value = value as? Value else { throw Unreadable.noReading(of: TypeName.of(Value.self)) }
        return value
    }

    /// Why a response could not be read as a value.
    public enum Unreadable: Error, Sendable, Equatable, TextConvertible {
        /// The body is empty, and the type is neither `Void` nor an `Optional`.
        case emptyBody
        /// The body is a stream, and the type isn't ``NetworkResponse``. Read ``NetworkResponse/stream`` instead.
        case stream
        /// The type is neither a ``NetworkValue`` nor `Decodable`.
        case noReading(of: String)
        /// The content type isn't the expected one, such as `application/json`.
        case unexpectedType(MediaType, expected: String)
        /// The charset that `Content-Type` names is not one that Foundation decodes.
        case unknownCharset(String)
        /// The bytes are not valid in this charset.
        case invalidText(charset: String)
        /// The property list nests deeper than this many levels, or an object of it refers back to itself.
        /// `PropertyListDecoder` would end the process.
        case tooDeep(limit: Int)

        var text: String {
            switch self {
            case .emptyBody: "the body is empty; read it as Void or an Optional if it may be"
            case .stream: "the body is a stream; read it as a NetworkResponse"
            case .noReading(let type): "\(type) is neither a NetworkValue nor Decodable"
            case .unexpectedType(let type, let expected):
                "it is \(type.essence) where \(expected) was expected"
                    + (type.isHTML
                        ? "; a network's sign-in page, or a proxy, may have responded instead of the server" : "")
            case .unknownCharset(let name): "the charset \"\(PlainText.quotable(name))\" is not known"
            case .invalidText(let name): "the bytes are not valid \(PlainText.quotable(name))"
            case .tooDeep(let limit): "the property list nests deeper than \(limit) levels, or refers back to itself"
            }
        }
    }
}
