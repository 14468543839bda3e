import Foundation
public import RecordKit

/// A parser of the elements of a list.
///
/// Decodes elements that become complete together as one list, which is several times faster than one by one.
struct ElementParser<Element: Decodable & Sendable>: ChunkParser {
    /// Returns the decoder of the request.
    typealias Decoder = @Sendable () -> any NetworkDecoder

    private let body: StreamedResponse
    private let type: String
    private let path: [String]
    private let format: ElementFormat
    private let decoder: Decoder
    /// The decoder of several elements at once, if the request's decoder has one.
    private let json: (any NetworkDecoder & Sendable)?
    private var splitter: ElementSplitter
    /// The number of elements that were decoded.
    private var index = 0
    /// The number of dropped elements that were reported.
    private var reported = 0

    /// - Parameters:
    ///   - body: The response.
    ///   - type: The name of the type of the list.
    ///   - path: The names of the members that lead to the list.
    ///   - format: The format, or `nil` for the one that `Content-Type` names.
    ///   - decoder: Returns the decoder of the request.
    init(
        of body: StreamedResponse, as type: String, path: [String], format: ElementFormat?, decoder: @escaping Decoder
    ) throws(NetworkError) {
        let format = format ?? ElementFormat(of: body.head.mediaType)
        self.body = body
        self.type = type
        self.path = path
        self.format = format
        self.decoder = decoder
        json = decoder().listDecoder
        splitter = ElementSplitter(format, path: path, limit: body.call.sizeLimit)
        if format != .array, !path.isEmpty { throw unreadable(.hasNoPath) }
    }

    mutating func parse(_ chunk: Data, into elements: inout [Element]) throws(NetworkError) {
        // A transport may return a long body as one chunk.
        for start in stride(from: chunk.startIndex, to: chunk.endIndex, by: Self.step) {
            let part = chunk[start..<min(start + Self.step, chunk.endIndex)]
            let result = part.withUnsafeBytes { bytes in
                Result { () throws(ElementSplitter.Fault) in try splitter.split(bytes) }
            }
            reportDropped()
            try decode(into: &elements)
            try check(result)
        }
    }

    mutating func finish(into elements: inout [Element]) throws(NetworkError) {
        let result = Result { () throws(ElementSplitter.Fault) in try splitter.finish() }
        reportDropped()
        try decode(into: &elements)
        try check(result)
    }

    private mutating func reportDropped() {
        while reported < splitter.dropped {
            reported += 1
            body.call.report(.truncatedElement, since: body.call.clock.now(), detail: "a truncated element was dropped")
        }
    }

    private static var step: Int { 1 << 16 }

    /// Decodes the elements that were found.
    private mutating func decode(into elements: inout [Element]) throws(NetworkError) {
        guard let found = splitter.take() else { return }
        if let json, let list = try? json.decode([Element].self, from: found.list), list.count == found.count {
            // Appending would copy each element, also to an empty array.
            if elements.isEmpty { elements = list } else { elements += list }
            index += list.count
            return
        }
        // One by one, so that the elements before one that isn't valid are returned.
        for number in 0..<found.count {
            do {
                elements.append(try decoded(found[number]))
            } catch {
                throw failure(located(error))
            }
            index += 1
        }
    }

    /// Decodes an element. JSON is decoded as a list of one element: then the result doesn't depend on the others.
    private func decoded(_ element: Data) throws -> Element {
        guard let json else { return try decoder().decode(Element.self, from: element) }
        let list: Data = [JSONByte.openBracket] + element + [JSONByte.closeBracket]
        return try json.decode(OnlyElement<Element>.self, from: list).element
    }

    private func check(_ result: Result<Void, ElementSplitter.Fault>) throws(NetworkError) {
        guard case .failure(let fault) = result else { return }
        switch fault {
        case .tooLarge: throw body.call.tooLarge
        case .empty: throw failure(NetworkResponse.ReadingError.emptyBody)
        case .noMember(let level):
            let context = DecodingError.Context(codingPath: keys(path[..<level]), debugDescription: "No such member.")
            throw failure(DecodingError.keyNotFound(ElementKey(path[level]), context))
        case .wrongType where path.isEmpty: throw unreadable(.isNoArray)
        case .wrongType(let level):
            let context = DecodingError.Context(codingPath: keys(path[..<level]), debugDescription: "Another type.")
            let type: Any.Type = level == path.count ? [Any].self : [String: Any].self
            throw failure(DecodingError.typeMismatch(type, context))
        case .invalid(let inElement): throw unreadable(.invalid, inElement)
        case .incomplete(let inElement): throw unreadable(.incomplete, inElement)
        case .tooDeep(let inElement): throw unreadable(.isTooDeep, inElement)
        case .notAtEnd: throw unreadable(.goesOn)
        }
    }

    /// Returns the error with the place of the element in its coding path.
    private func located(_ error: any Error) -> any Error {
        guard let error = error as? DecodingError else { return error }
        func located(_ context: DecodingError.Context) -> DecodingError.Context {
            // The element was decoded as the only one of a list.
            let isIndexed = json != nil && context.codingPath.first?.intValue == 0
            let inner = isIndexed ? context.codingPath.dropFirst() : context.codingPath[...]
            return DecodingError.Context(
                codingPath: keys(path[...]) + [ElementKey(index)] + inner, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError)
        }
        switch error {
        case .keyNotFound(let key, let context): return DecodingError.keyNotFound(key, located(context))
        case .typeMismatch(let type, let context): return DecodingError.typeMismatch(type, located(context))
        case .valueNotFound(let type, let context): return DecodingError.valueNotFound(type, located(context))
        case .dataCorrupted(let context): return DecodingError.dataCorrupted(located(context))
        @unknown default: return error
        }
    }

    private func unreadable(_ problem: UnreadableList.Problem, _ inElement: Bool = false) -> NetworkError {
        let element = "\(path.joined(separator: "."))[\(index)]"
        return failure(UnreadableList(place: inElement ? element : "the body", problem: problem))
    }

    private func failure(_ cause: any Error) -> NetworkError {
        guard let type = body.head.mediaType, type.isHTML else { return body.unreadable(as: self.type, cause) }
        return body.unreadable(
            as: self.type, NetworkResponse.ReadingError.unexpectedType(type, expected: "application/json"))
    }

    private func keys(_ names: ArraySlice<String>) -> [any CodingKey] {
        names.map { ElementKey($0) }
    }
}

extension NetworkEvent.Kind {
    /// An element of a JSON text sequence was dropped, since it is truncated (RFC 7464 section 2.1).
    public static let truncatedElement = NetworkEvent.Kind(rawValue: "truncatedElement")
}

/// The reason why a body can't be read as a list, apart from the errors of the decoder.
struct UnreadableList: Error, CustomStringConvertible {
    enum Problem {
        case invalid
        case incomplete
        case goesOn
        case isNoArray
        case isTooDeep
        case hasNoPath
    }

    /// An element, such as `items[3]`, or the body.
    let place: String
    let problem: Problem

    /// The reason as part of a sentence.
    var description: String {
        switch problem {
        case .invalid: "\(place) is not valid JSON"
        case .incomplete: "\(place) is not complete"
        case .isTooDeep: "\(place) has more than \(JSONValueScanner.depthLimit) nested levels"
        case .goesOn: "\(place) has more than one JSON value; if each line has one, pass format: .lines"
        case .isNoArray:
            "\(place) is not an array; if each line has a value, pass format: .lines; if an object has the list, "
                + "pass at:"
        case .hasNoPath: "\(place) is a sequence of values, not an object; omit the path to the list"
        }
    }
}

/// The element of a list of one.
private struct OnlyElement<Element: Decodable>: Decodable {
    let element: Element

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        element = try list.decode(Element.self)
    }
}

/// A key in the coding path of an element.
private struct ElementKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        (stringValue, intValue) = (name, nil)
    }

    init(_ index: Int) {
        (stringValue, intValue) = ("Index \(index)", index)
    }

    init?(stringValue: String) {
        self.init(stringValue)
    }

    init?(intValue: Int) {
        self.init(intValue)
    }
}
