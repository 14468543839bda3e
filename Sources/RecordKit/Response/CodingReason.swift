import Foundation

/// What a coder threw, in words: what is wrong where, and never the value that it is wrong with.
package enum CodingReason {
    package static func of(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(place(context.codingPath)) has no \"\(key.stringValue)\""
        case DecodingError.typeMismatch(let type, let context):
            "\(place(context.codingPath)) is no \(type)"
        case DecodingError.valueNotFound(let type, let context):
            "\(place(context.codingPath)) is null where \(type) is wanted"
        // JSONDecoder names no place for a number that is too large for its type, nor for a date at the top.
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            "the whole, or a value in it, is not valid"
        case DecodingError.dataCorrupted(let context):
            "\(place(context.codingPath)) is not valid"
        case EncodingError.invalidValue(let value, let context):
            "\(place(context.codingPath)), of type \(type(of: value)), has no place in this format"
        case _ where isFoundations(error): error.localizedDescription
        case let error as any Error & CustomStringConvertible: error.description
        default: error.localizedDescription
        }
    }

    /// Whose description is its `userInfo`, addresses, values and all.
    private static func isFoundations(_ error: any Error) -> Bool {
        error is any CustomNSError || type(of: error) is NSError.Type
    }

    /// `records[3].price`; the names of a dictionary's members are the server's.
    private static func place(_ path: [any CodingKey]) -> String {
        if path.isEmpty { return "the whole" }
        let place = path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return PlainText.quotable(place)
    }
}
