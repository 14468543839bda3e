import Foundation
@testable import RecordKit
@testable import RecordKitStreaming

/// Checks a body that is read as it arrives, as lines and as server-sent events: a byte that selects the chunks, and
/// the body. The elements don't depend on the chunks.
enum StreamFuzzing {
    private static let call = NetworkCall(
        url: URL(string: "https://store.example/v1/events")!, options: RequestOptions(sizeLimit: 1_024))

    static func check(_ bytes: [UInt8]) {
        let (pick, body) = (bytes.first.map { Int($0) } ?? 0, Data(bytes.dropFirst()))
        let whole = [body]
        let chunks = stride(from: 0, to: body.count, by: pick % 7 + 1).map {
            Data(body.dropFirst($0).prefix(pick % 7 + 1))
        }

        if elements(LineParser(for: call), whole) != elements(LineParser(for: call), chunks) {
            violation("lines don't depend on the chunks", "\(Array(body))")
        }
        let events = elements(EventParser(for: call), whole)
        if events != elements(EventParser(for: call), chunks) {
            violation("events don't depend on the chunks", "\(Array(body))")
        }
        for event in events ?? [] {
            if event.type.isEmpty || event.type.utf8.contains(where: isEnd) || event.data.utf8.contains(0x0D)
                || event.id.utf8.contains(where: { isEnd($0) || $0 == 0 })
            {
                violation("a field of an event is within its line", "\(event)")
            }
        }
    }

    private static func isEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    /// Returns the elements, or `nil` if one of them is too large.
    private static func elements<Parser: ChunkParser>(_ parser: Parser, _ chunks: [Data]) -> [Parser.Element]? {
        var parser = parser
        var elements: [Parser.Element] = []
        do throws(NetworkError) {
            for chunk in chunks { try parser.parse(chunk, into: &elements) }
            try parser.finish(into: &elements)
            return elements
        } catch {
            return nil
        }
    }
}
