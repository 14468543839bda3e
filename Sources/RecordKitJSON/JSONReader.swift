public import Foundation
public import RecordKit

/// A decoder of JSON that is about four times as fast as Foundation's.
///
/// A request chooses it with its `NetworkRequest.decoder`:
///
/// ```swift
/// var decoder: JSONReader { JSONReader() }
/// ```
///
/// It is as strict as RFC 8259, also in parts of the document that no type reads: UTF-8 that is valid, no trailing
/// commas, no control characters in strings, no lone surrogates. A byte-order mark is skipped. If an object has several
/// members of the same name, the first is read. A document has at most 256 MB.
///
/// Numbers are exact. An integer type accepts `1.50e2`, and neither `1.5` nor a number that doesn't fit.
///
/// Errors are `DecodingError`, and quote nothing of the document. For a document that isn't JSON, the underlying error
/// is a ``JSONSyntaxError``.
public struct JSONReader: NetworkDecoder, Sendable {
    /// How the names of members become coding keys.
    @nonexhaustive
    public enum KeyDecodingStrategy: Sendable {
        /// Uses the names as they are.
        case useDefaultKeys
        /// Converts `first_name` to `firstName`. The keys of a `[String: Value]` aren't converted.
        case convertFromSnakeCase
    }

    /// How a `Date` is decoded.
    @nonexhaustive
    public enum DateDecodingStrategy: Sendable {
        /// Decodes the seconds since 2001, as `Date` does by itself.
        case deferredToDate
        /// Decodes the seconds since 1970.
        case secondsSince1970
        /// Decodes the milliseconds since 1970.
        case millisecondsSince1970
        /// Decodes a date of ISO 8601, such as `2026-03-01T12:30:00Z`, with or without fractions of a second.
        case iso8601
        /// Decodes a date with a closure.
        case custom(@Sendable (any Decoder) throws -> Date)
    }

    /// How a number that JSON doesn't have is decoded.
    @nonexhaustive
    public enum NonConformingFloatDecodingStrategy: Sendable {
        /// Throws an error.
        case `throw`
        /// Decodes these strings.
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// How the names of members become coding keys.
    public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys
    /// How a `Date` is decoded.
    public var dateDecodingStrategy = DateDecodingStrategy.deferredToDate
    /// How infinity and NaN are decoded.
    public var nonConformingFloatDecodingStrategy = NonConformingFloatDecodingStrategy.throw
    /// The greatest number of arrays and objects within each other: at most 512, which is the default.
    public var depthLimit = Self.deepestLimit
    /// Values for the types that are decoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Creates a reader with the default options.
    public init() {}

    static let deepestLimit = 512

    /// The reader itself: elements of a stream are decoded several at once.
    public var listDecoder: (any NetworkDecoder & Sendable)? { self }

    /// Decodes a value from a document.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The document.
    /// - Returns: The value.
    /// - Throws: `DecodingError`, or the error of the type.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let tape: Tape
        do {
            tape = try data.withUnsafeBytes { bytes in
                Result { () throws(JSONSyntaxError) in try Tape(bytes, reader: self) }
            }.get()
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [], debugDescription: "The data isn't JSON: \(error).", underlyingError: error))
        }
        return try tape.value(0)
    }
}
