import Foundation

extension NetworkError {
    /// A response with an accepted status, whose body could not be read as the value.
    public struct DecodingFailure: Error, Sendable, TextConvertible {
        /// The expected type: the name of a Swift type, or a media type.
        public let type: String
        /// The response that could not be read.
        public let response: NetworkResponse
        /// The error that reading the value threw.
        public let cause: any Error

        /// Creates the failure of one response.
        ///
        /// - Parameters:
        ///   - type: The name of a Swift type, or a media type.
        ///   - response: The response that could not be read.
        ///   - cause: The error that reading the value threw.
        public init(type: String, response: NetworkResponse, cause: any Error) {
            self.type = TypeName.plain(type)
            self.response = response
            self.cause = cause
        }

        /// The sentences with the type, the reason and the response.
        var text: String {
            "The response could not be read as \(type): \(CodingReason.of(cause)). It was \(response)."
        }
    }
}

/// Describes the errors of encoders and decoders. Never includes the value that is not valid.
enum CodingReason {
    /// Returns the reason of an error, with the coding path.
    static func of(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(place(context.codingPath)) has no \"\(key.stringValue)\""
        case DecodingError.typeMismatch(let type, let context):
            "\(place(context.codingPath)) is not \(kind(type))"
        case DecodingError.valueNotFound(let type, let context):
            "\(place(context.codingPath)) is null where \(type) is expected"
        // JSONDecoder (Swift 6.3.1) sets no coding path for a number that is too large for its type, nor for a date at
        // the top level.
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            "the root value, or a value in it, is not valid"
        case DecodingError.dataCorrupted(let context):
            "\(place(context.codingPath)) is not valid"
        case EncodingError.invalidValue(let value, let context):
            "\(place(context.codingPath)), of type \(type(of: value)), cannot be encoded in this format"
        case _ where isFoundations(error): error.localizedDescription
        case let error as any Error & CustomStringConvertible: error.description
        default: error.localizedDescription
        }
    }

    /// Returns what a decoder expected. Decoders name the containers of JSON by Swift's types.
    private static func kind(_ type: Any.Type) -> String {
        switch type {
        case is [Any].Type: "an array"
        case is [String: Any].Type: "an object"
        default: "of type \(type)"
        }
    }

    /// Returns whether the description of an error is its `userInfo`, which may contain URLs and values.
    private static func isFoundations(_ error: any Error) -> Bool {
        error is any CustomNSError || type(of: error) is NSError.Type
    }

    /// Returns a coding path such as `records[3].price`. Escapes it, since dictionary keys come from the server.
    private static func place(_ path: [any CodingKey]) -> String {
        if path.isEmpty { return "the root value" }
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

/// The names of types in messages.
enum TypeName {
    /// Returns the name of a type with its module.
    static func of(_ type: Any.Type) -> String { plain(String(reflecting: type)) }

    /// Removes the memory address from the name of a private type, which differs between runs.
    static func plain(_ name: String) -> String {
        let parts = name.components(separatedBy: "(unknown context at ")
        return parts[0] + parts.dropFirst().map { $0.drop { $0 != "." }.dropFirst() }.joined()
    }
}
