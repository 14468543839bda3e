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
        /// The part of the response that could not be read, such as `The event "sold" with the ID "7"`. `nil` for the
        /// whole.
        public let part: String?

        /// Creates the failure of one response.
        ///
        /// - Parameters:
        ///   - type: The name of a Swift type, or a media type.
        ///   - response: The response that could not be read.
        ///   - cause: The error that reading the value threw.
        ///   - part: The part of the response that could not be read. `nil` for the whole.
        public init(type: String, response: NetworkResponse, cause: any Error, part: String? = nil) {
            self.type = TypeName.plain(type)
            self.response = response
            self.cause = cause
            self.part = part
        }

        /// The sentences with the type, the reason and the response.
        var text: String {
            let subject = part.map { PlainText.quotable($0) } ?? "The response"
            let reason = CodingReason.of(cause, in: response.body)
            return "\(subject) could not be read as \(type): \(reason)." + (part == nil ? " It was \(response)." : "")
        }
    }
}

/// Describes the errors of encoders and decoders. Never includes the value that is not valid.
enum CodingReason {
    /// Returns the reason of an error, with the coding path.
    ///
    /// - Parameters:
    ///   - error: The error of an encoder or decoder.
    ///   - body: The body that was decoded. Empty if it isn't known.
    static func of(_ error: any Error, in body: Data = Data()) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(place(context.codingPath)) has no \"\(key.stringValue)\""
        case DecodingError.typeMismatch(let type, let context):
            "\(place(context.codingPath)) is not \(kind(type))"
        case DecodingError.valueNotFound(let type, let context):
            "\(place(context.codingPath)) is null where \(type) is expected"
        case DecodingError.dataCorrupted(let context): corrupted(context, body)
        case EncodingError.invalidValue(let value, let context):
            "\(place(context.codingPath)), of type \(type(of: value)), cannot be encoded in this format"
        case _ where isFoundations(error): error.localizedDescription
        case let error as any Error & CustomStringConvertible: error.description
        default: error.localizedDescription
        }
    }

    /// Returns the reason of a value that isn't valid. A description that isn't known may quote the value.
    private static func corrupted(_ context: DecodingError.Context, _ body: Data) -> String {
        let text = context.debugDescription
        let (isRoot, place) = (context.codingPath.isEmpty, place(context.codingPath))
        if let type = unknownCase(text) { return "\(place) is none of the cases of \(type)" }
        if let error = context.underlyingError as? any Error & CustomStringConvertible, !isFoundations(error) {
            return "\(isRoot ? "it" : place) is not valid: \(error.description)"
        }
        if let fault = faults[text] { return "\(place) is not valid: \(fault)" }
        if !isRoot { return "\(place) is not valid" }
        if text == "The given data was not valid JSON.", !body.isEmpty { return JSONDecoder.fault(in: body) }
        return "the root value, or a value in it, is not valid"
    }

    /// The descriptions of Foundation (Swift 6.3.1) that quote nothing, and what they mean.
    private static let faults = [
        "Expected date string to be ISO8601-formatted.": "a string isn't a date of ISO 8601",
        "Invalid URL string.": "the string isn't a URL",
        "Encountered Data is not valid Base64.": "the string isn't Base64",
        "Attempted to decode UUID from invalid UUID string.": "the string isn't a UUID",
    ]

    /// Returns the type in `Cannot initialize Kind from invalid String value x`, with which the standard library (Swift
    /// 6.3.1) describes a raw value that no case has.
    private static func unknownCase(_ text: String) -> Substring? {
        let start = "Cannot initialize "
        guard text.hasPrefix(start), let end = text.firstRange(of: " from invalid ") else { return nil }
        return text[..<end.lowerBound].dropFirst(start.count)
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
