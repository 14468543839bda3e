#if os(Linux)
import RecordKit
import RecordKitStreaming
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

/// Messages, and the frames that carry them.
final class WebSocketMessageTests: TimedTestCase {
    func testTheAcceptanceOfTheRFC() {
        XCTAssertEqual(WebSocketPeer.acceptance(of: "dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    func testMessagesOfAllLengths() async throws {
        let server = try WebSocketPeer.server { peer in
            // Joins the frames of a message, and returns it as one frame.
            var message = Data()
            var opcode: UInt8 = 0
            while let frame = peer.read() {
                if frame.opcode != 0 { opcode = frame.opcode }
                message += frame.payload
                if !frame.isFinal { continue }
                peer.write(opcode, message)
                message = Data()
            }
        }
        let socket = try await NetworkManager(server).webSocket(for: Fetch())
        for count in [0, 1, 3, 7, 8, 9, 125, 126, 127, 65_535, 65_536, 262_144, 262_145, 1_000_000] {
            let data = Data((0..<count).map { _ in UInt8.random(in: 0 ... .max) })
            let text = String(repeating: "ä", count: count / 2)
            for message in [WebSocketMessage.data(data), .text(text)] {
                try await socket.send(message)
                assertEqual(try await socket.receive(), message, "\(count)")
            }
        }
    }

    /// A key that can be predicted lets a page choose the bytes on the wire (RFC 6455 section 10.3).
    func testEachFrameHasANewKey() async throws {
        let count = 8
        let server = try WebSocketPeer.server { peer in
            for _ in 0..<count { _ = peer.read() }
            peer.write(1, Data("\(Set(peer.keys + [Data(count: 4)]).count)".utf8))
            _ = peer.read()
        }
        let socket = try await NetworkManager(server).webSocket(for: Fetch())
        for _ in 0..<count { try await socket.send(.text("the same")) }
        assertEqual(try await socket.receive(), .text("\(count + 1)"), "a key was used twice, or is zero")
    }

    /// Every frame arrives byte by byte, so that every split occurs.
    func testFramesInBytes() async throws {
        let server = try WebSocketPeer.server { peer in
            var on: Int32 = 1
            setsockopt(peer.connection.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
            let frames: [WebSocketPeer.Frame] = [
                .init(opcode: 1, payload: Data("grün".utf8)), .init(opcode: 2, payload: Data(count: 130)),
                .init(opcode: 1, payload: Data("a🎵".utf8.prefix(3)), isFinal: false),
                .init(opcode: 9, payload: Data("between".utf8)),
                .init(opcode: 0, payload: Data(), isFinal: false),
                .init(opcode: 0, payload: Data("a🎵".utf8.dropFirst(3))), .init(opcode: 1, payload: Data()),
            ]
            for byte in frames.map(WebSocketPeer.bytes).joined() { peer.connection.write(Data([byte])) }
            let pong = peer.read()
            peer.write(1, pong == .init(opcode: 10, payload: Data("between".utf8)) ? Data("pong".utf8) : Data())
            peer.write(8)
            _ = peer.read()
        }
        let socket = try await NetworkManager(server).webSocket(for: Fetch())
        var messages: [WebSocketMessage] = []
        for try await message in socket.messages { messages.append(message) }
        XCTAssertEqual(messages, [.text("grün"), .data(Data(count: 130)), .text("a🎵"), .text(""), .text("pong")])
        XCTAssertEqual(socket.peerClose, WebSocketClose(.none))
    }

    /// Random messages in random fragments and writes.
    func testRandomFragments() async throws {
        let messages = (0..<200).map { _ -> WebSocketMessage in
            let count = Int.random(in: 0...(Bool.random() ? 300 : 70_000))
            if Bool.random() { return .data(Data((0..<count).map { _ in UInt8.random(in: 0 ... .max) })) }
            return .text(String((0..<(count / 4)).map { _ in Array("aä€🎵").randomElement() ?? "a" }))
        }
        let server = try WebSocketPeer.server { peer in
            var bytes = Data()
            for message in messages {
                var (opcode, rest): (UInt8, Data) =
                    switch message {
                    case .text(let text): (1, Data(text.utf8))
                    case .data(let data): (2, data)
                    }
                repeat {
                    let part = rest.prefix(Int.random(in: 0...rest.count))
                    rest = Data(rest.dropFirst(part.count))
                    bytes += WebSocketPeer.bytes(.init(opcode: opcode, payload: part, isFinal: rest.isEmpty))
                    opcode = 0
                    if Int.random(in: 0..<4) == 0 { bytes += WebSocketPeer.bytes(.init(opcode: 10, payload: Data())) }
                } while !rest.isEmpty
            }
            while !bytes.isEmpty {
                let count = peer.connection.write(Data(bytes.prefix(Int.random(in: 1...100_000))))
                if count <= 0 { return }
                bytes = Data(bytes.dropFirst(count))
            }
            peer.write(8, WebSocketPeer.closing(1000))
            _ = peer.read()
        }
        let socket = try await NetworkManager(server).webSocket(for: Fetch())
        var index = 0
        for try await message in socket.messages {
            XCTAssertEqual(message, messages[index], "\(index)")
            index += 1
        }
        XCTAssertEqual(index, messages.count)
    }

    /// Each case: what the server sends, the error, and the code that the client sends.
    func testFramesThatAreNotValid() async throws {
        let text = "a text message is not UTF-8"
        let cases: [([UInt8], String, Int)] = [
            ([0xC1, 0], "reserved bit", 1002), ([0xA1, 0], "reserved bit", 1002), ([0x91, 0], "reserved bit", 1002),
            ([0x83, 0], "opcode 3", 1002), ([0x8B, 0], "opcode 11", 1002), ([0x8F, 0], "opcode 15", 1002),
            ([0x81, 0x81, 1, 2, 3, 4, 5], "masked", 1002), ([0x81, 0x80], "masked", 1002),
            ([0x09, 0], "control frame is fragmented", 1002), ([0x89, 126, 0, 126], "too long", 1002),
            ([0x80, 0], "continues no message", 1002),
            ([0x01, 0, 0x81, 0], "within another", 1002), ([0x01, 0, 0x00, 0, 0x82, 0], "within another", 1002),
            ([0x82, 126, 0, 125], "length", 1002), ([0x82, 127, 0, 0, 0, 0, 0, 0, 255, 255], "length", 1002),
            ([0x82, 127, 128, 0, 0, 0, 0, 0, 0, 0], "length", 1002),
            ([0x82, 127, 127, 255, 255, 255, 255, 255, 255, 255], "too large: 1000", 1009),
            ([0x82, 126, 0x03, 0xE9], "too large: 1000", 1009),
            ([0x81, 1, 0xFF], text, 1007), ([0x81, 2, 0xC0, 0x80], text, 1007), ([0x81, 1, 0xC3], text, 1007),
            ([0x81, 3, 0xED, 0xA0, 0x80], text, 1007), ([0x81, 4, 0xF4, 0x90, 0x80, 0x80], text, 1007),
            // The rest of the message hasn't arrived, but can't make it valid.
            ([0x01, 1, 0xC3, 0x00, 1, 0x28], text, 1007), ([0x81, 9, 0xE0, 0x80], text, 1007),
            ([0x88, 1, 3], "incomplete", 1002), ([0x88, 2, 3, 0xED], "code 1005", 1002),
            ([0x88, 2, 0, 0], "code 0", 1002), ([0x88, 2, 3, 0xEE], "code 1006", 1002),
            ([0x88, 2, 0x0B, 0xB7], "code 2999", 1002), ([0x88, 2, 0x13, 0x88], "code 5000", 1002),
            ([0x88, 3, 3, 0xE8, 0xFF], "not UTF-8", 1007),
        ]
        for (bytes, expected, code) in cases {
            let answer = Kept<WebSocketPeer.Frame?>(nil)
            let server = try WebSocketPeer.server { peer in
                peer.connection.write(Data(bytes))
                answer.set(peer.read())
            }
            let socket = try await NetworkManager(server).webSocket(for: Fetch()) { $0.options.sizeLimit = 1_000 }
            let error = await failure { () async throws(NetworkError) in _ = try await socket.receive() }
            XCTAssertTrue(error.contains(expected), "\(bytes): \(error)")
            await until { answer.now != nil }
            XCTAssertEqual(answer.now?.opcode, 8, "\(bytes)")
            XCTAssertEqual(answer.now?.payload.prefix(2), WebSocketPeer.closing(code), "\(bytes)")
        }
    }
}
#endif
