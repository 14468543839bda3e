import Foundation

extension NetworkError {
    /// A response whose status was accepted, and whose body could not be read as the value.
    public struct DecodingFailure: Error, Sendable, TextConvertible {
        /// What was expected: the name of the value's type, or a content type.
        public let type: String
        /// The response that could not be read.
        public let response: NetworkResponse
        /// What the decoder threw.
        public let cause: any Error

        /// Creates the failure of one response.
        public init(type: String, response: NetworkResponse, cause: any Error) {
            self.type = type
            self.response = response
            self.cause = cause
        }

        var text: String {
            "The response could not be read as \(type): \(CodingReason.of(cause)). It was \(response)."
        }
    }
}

extension MediaType {
    var isHTML: Bool { essence == "text/html" || essence == "application/xhtml+xml" }

    /// Returns whether this type is in a range such as `image/*` (RFC 9110 section 12.5.1). Every JSON type is in every
    /// other, and so is every XML type except pages.
    func isIn(_ range: MediaType) -> Bool {
        if range.isJSON { return isJSON }
        if range.isXML { return isXML && isHTML == range.isHTML }
        return (range.type == type || range.type == "*") && (range.subtype == subtype || range.subtype == "*")
    }
}

/// Describes what a coder threw: what is wrong where, and never the value that is wrong.
enum CodingReason {
    static func of(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(place(context.codingPath)) has no \"\(key.stringValue)\""
        case DecodingError.typeMismatch(let type, let context):
            "\(place(context.codingPath)) is no \(type)"
        case DecodingError.valueNotFound(let type, let context):
            "\(place(context.codingPath)) is null where \(type) is expected"
        // JSONDecoder gives no path for a number that is too large for its type, nor for a date at the top level.
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            "the whole, or a value in it, is not valid"
        case DecodingError.dataCorrupted(let context):
            "\(place(context.codingPath)) is not valid"
        case EncodingError.invalidValue(let value, let context):
            "\(place(context.codingPath)), of type \(type(of: value)), cannot be encoded in this format"
        case _ where isFoundations(error): error.localizedDescription
        case let error as any Error & CustomStringConvertible: error.description
        default: error.localizedDescription
        }
    }

    /// Whether the description of an error is its `userInfo`, including addresses and values.
    private static func isFoundations(_ error: any Error) -> Bool {
        error is any CustomNSError || type(of: error) is NSError.Type
    }

    /// Returns a path such as `records[3].price`. The keys of a dictionary are the server's, and may hold anything.
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

/// The name of a type, for messages.
enum TypeName {
    /// Returns the name with its module. For a private type, Swift's own name has an address, which differs from run to
    /// run.
    static func of(_ type: Any.Type) -> String {
        let parts = String(reflecting: type).components(separatedBy: "(unknown context at ")
        return parts[0] + parts.dropFirst().map { $0.drop { $0 != "." }.dropFirst() }.joined()
    }
}
