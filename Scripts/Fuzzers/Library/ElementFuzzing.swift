import Foundation
@testable import RecordKit
@testable import RecordKitStreaming

/// Checks a list: a digit that selects the format, one that selects the length of the chunks, and a body. Its elements
/// and its error don't depend on the chunks. An array has the elements that it has when it is decoded whole. No value
/// is printed.
enum ElementFuzzing {
    private static let planted = "Zk7xQw93LmPd"
    private static let url = URL(string: "https://store.example/v1/records")!

    /// Any JSON value.
    private indirect enum Node: Decodable, Equatable {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case array([Node])
        case object([String: Node])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([Node].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Node].self))
            }
        }
    }

    static func check(_ bytes: [UInt8]) {
        guard bytes.count >= 2 else { return }
        let formats: [(format: ElementFormat, path: [String])] = [
            (.array, []), (.lines, []), (.sequence, []), (.array, ["a"]), (.array, ["a", "b"]),
        ]
        let (format, path) = formats[Int(bytes[0]) % formats.count]
        let step = Int(bytes[1]) % 16 + 1
        let body = Data(bytes.dropFirst(2))
        let text = String(decoding: body, as: UTF8.self)

        let (elements, error) = read([body], format, path)
        let chunks = stride(from: 0, to: body.count, by: step).map { body[$0..<min($0 + step, body.count)] }
        let (others, otherError) = read(chunks, format, path)
        if elements != others || error != otherError {
            violation("elements don't depend on the chunks", text, "\(error ?? "")", "\(otherError ?? "")")
        }
        // Foundation's own messages, which end the error, name no value either.
        if !path.contains(planted), error?.contains(planted) == true { violation("no value is printed", text) }
        // A body with such a byte may be UTF-16, which is never split. Its levels are those of the decoder.
        guard format == .array, path.isEmpty, !body.contains(0) else { return }
        let whole = try? JSONDecoder().decode([Node].self, from: body)
        if (whole != nil) != (error == nil) || whole != nil && whole != elements {
            violation("a list is read as when it is decoded whole", text, error ?? "no error")
        }
    }

    private static func read(_ chunks: [Data], _ format: ElementFormat, _ path: [String]) -> ([Node], String?) {
        let opening = NetworkOpening.response(NetworkResponse(statusCode: 200, url: url), NetworkCall(url: url))
        var elements: [Node] = []
        do throws(NetworkError) {
            let response = try StreamedResponse(opening)
            var parser = try ElementParser<Node>(
                of: response, as: "list", path: path, format: format, decoder: { JSONDecoder() })
            for chunk in chunks { try parser.parse(chunk, into: &elements) }
            try parser.finish(into: &elements)
            return (elements, nil)
        } catch {
            return (elements, error.description)
        }
    }
}
