import RecordKit
import RecordKitStreaming
import TestSupport
import XCTest

/// Events are those of the WHATWG standard, however their bytes are split into chunks.
final class EventParserTests: TimedTestCase {
    private func events(_ chunks: [Data], sizeLimit: Int? = nil) async throws -> [ServerSentEvent] {
        let network = NetworkSession(
            ChunkTransport(chunks: chunks, headers: ["Content-Type": "text/event-stream"]),
            options: RequestOptions(sizeLimit: sizeLimit))
        return try await NetworkManager(network).events(for: Ask<Data>(), reconnect: .never).collect()
    }

    func testTheDataIsDecoded() throws {
        struct Sale: Decodable, Equatable { var unitPrice: Int }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        XCTAssertEqual(try Self.event("[1,\n2]").value(as: [Int].self), [1, 2])
        XCTAssertEqual(try Self.event(#"{"unit_price": 3}"#).value(using: decoder), Sale(unitPrice: 3))
        for (id, subject) in [("7", "The event \"sold\" with the ID \"7\""), ("", "The event \"sold\"")] {
            XCTAssertThrowsError(try Self.event("[1, true]", "sold", id: id).value(as: [Int].self)) { error in
                guard case NetworkError.decoding(let failure) = error else { return XCTFail("\(error)") }
                XCTAssertTrue(failure.cause is DecodingError)
                XCTAssertEqual(
                    failure.description,
                    "\(subject) could not be read as Swift.Array<Swift.Int>: [1] is not of type Int.")
            }
        }
    }

    private static func event(_ data: String, _ type: String = "message", id: String = "") -> ServerSentEvent {
        ServerSentEvent(type: type, data: data, id: id)
    }

    private static let cases: [(text: String, events: [ServerSentEvent])] = [
        ("", []), ("data: a\n\n", [event("a")]), ("data: a\n", []), ("data: a", []),
        ("\u{FEFF}data: a\n\n", [event("a")]), ("\u{FEFF}\u{FEFF}data: a\n\n", []),
        ("data: a\n\n\u{FEFF}data: b\n\n", [event("a")]),
        ("data:a\rdata:b\r\rdata:c\r\n\r\n", [event("a\nb"), event("c")]), ("data\n\n", [event("")]),
        ("data\ndata\n\n", [event("\n")]), ("data:\n\ndata", [event("")]), ("data:  a : b \n\n", [event(" a : b ")]),
        (": c\ndata: a\n:\n\n", [event("a")]), ("event: e\n\ndata: a\n\n", [event("a")]),
        ("event: e\nevent:f\ndata: a\n\n", [event("a", "f")]), ("event: e\nevent\ndata: a\n\n", [event("a")]),
        ("id: 1\ndata: a\n\ndata: b\n\n", [event("a", id: "1"), event("b", id: "1")]),
        ("id: 1\n\ndata: b\n\n", [event("b", id: "1")]),
        ("id: 1\ndata: a\n\nid\ndata: b\n\n", [event("a", id: "1"), event("b")]),
        ("id: 1\nid: 2\0\ndata: a\n\n", [event("a", id: "1")]),
        ("Data: a\ndata : b\n data: c\nx: y\ndata: d\n\n", [event("d")]),
        ("data: ü€𝄞\u{85}\u{2028}\n\n", [event("ü€𝄞\u{85}\u{2028}")]), ("data: a\n\r\n", [event("a")]),
        ("\n\n\r\rdata: a\n\n\n", [event("a")]),
    ]

    func testEverySplitOfEveryCase() async throws {
        for (text, expected) in Self.cases {
            let bytes = Data(text.utf8)
            let single = bytes.map { Data([$0]) }
            assertEqual(try await events(single), expected, "\(text.debugDescription) byte by byte")
            for first in 0...bytes.count {
                for second in first...bytes.count {
                    let events = try await events([bytes[..<first], bytes[first..<second], bytes[second...]])
                    XCTAssertEqual(events, expected, "\(text.debugDescription) split at \(first) and \(second)")
                }
            }
        }
    }

    func testALineAndTheDataOfAnEventHaveALimit() async throws {
        let events = try await events([Data("data:12345678\n\n:45678901\ndata:123\ndata:123\n\n".utf8)], sizeLimit: 14)
        XCTAssertEqual(events.map(\.data), ["12345678", "123\n123"])
        for chunks in [["data:12345678901\n"], ["data:1234", "5678901"], ["data:12345\ndata:123456\n", "data:123\n"]] {
            let error = await failure { try await self.events(chunks.map { Data($0.utf8) }, sizeLimit: 14) }
            guard case .tooLarge(let excess) = error as? NetworkError, excess.limit == 14 else {
                return XCTFail("\(chunks): \(error as Any)")
            }
        }
    }

    func testEventsBeforeOneThatIsTooLargeAreDelivered() async throws {
        let network = NetworkSession(
            ChunkTransport(
                chunks: [Data("data: a\n\ndata: 1234567\n\n".utf8)], headers: ["Content-Type": "text/event-stream"]),
            options: RequestOptions(sizeLimit: 8))
        var read: [String] = []
        let error = await failure {
            for try await event in NetworkManager(network).events(for: Ask<Data>()) { read.append(event.data) }
        }
        guard case .tooLarge = error as? NetworkError else { return XCTFail("\(error as Any)") }
        XCTAssertEqual(read, ["a"])
    }
}
