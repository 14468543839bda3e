import RecordKit
import RecordKitJSON
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// The elements of a list are the same however its bytes are split into chunks, and so are its errors.
final class ElementsTests: TimedTestCase {
    private typealias Case = (type: String?, path: String?, text: String, elements: [JSONValue], error: String?)

    private static let ndjson = "application/x-ndjson"
    private static let sequence = "application/json-seq"

    private static let valid: [Case] = [
        (nil, nil, "[]", [], nil), (nil, nil, " [\n] ", [], nil), (nil, nil, "\u{FEFF}[1]", [1], nil),
        (nil, nil, "[1,-2.5e3,true,null]", [1, -2500, true, .null], nil),
        (nil, nil, #"["a]\"\\",{"},":[[]]} , [{}]]"#, [#"a]"\"#, ["},": [[]]], [[:]]], nil),
        (nil, nil, #"["ü€𝄞","\u00fc\n"]"#, ["ü€𝄞", "ü\n"], nil),
        (nil, nil, "[1,[2,], ]", [1, [2]], nil),
        (nil, nil, #"["!#[]^ !#[]^ü€𝄞\"!\\","12345678"]"#, [#"!#[]^ !#[]^ü€𝄞"!\"#, "12345678"], nil),
        (nil, "", "[1]", [1], nil),
        (nil, "a", #"{"a":[1,2]}"#, [1, 2], nil),
        (nil, "a.b", #"{"x":[],"a":{"b":[1]}}"#, [1], nil),
        (nil, "a", #"{"\u0061":[7],"b":"}","a":[8]}"#, [7], nil),
        (nil, "a", #"{"aa":{"a":[0]},"a" : [] , "z":1}"#, [], nil),
        (ndjson, nil, "", [], nil),
        (ndjson, nil, "\n\r\n{\"a\":1}\r\n\n2", [["a": 1], 2], nil),
        (ndjson, nil, "[1,2]\n\"a\\nb\" \n", [[1, 2], "a\nb"], nil),
        (sequence, nil, "", [], nil),
        (sequence, nil, "\u{1E}{\"a\":1}\n\u{1E}\u{1E}2\n\u{1E}[]", [["a": 1], 2, []], nil),
    ]

    private static let noArray =
        "the body is not an array; if each line has a value, pass format: .lines; if an object has the list, pass at:"

    private static let invalid: [Case] = [
        (nil, nil, "", [], "the body is empty; read it as Void or an Optional if it may be"),
        (nil, nil, "\n", [], "the body is not complete"), (nil, nil, "{}", [], noArray),
        (nil, nil, "1\n2", [], noArray),
        (nil, nil, "[1]\n[2]", [1], "the body has more than one JSON value; if each line has one, pass format: .lines"),
        (nil, nil, "[1", [], "[0] is not complete"), (nil, nil, "[1,", [1], "the body is not complete"),
        (nil, nil, "[1 ", [1], "the body is not complete"),
        (
            nil, nil, "[1,2]x", [1, 2],
            "the body has more than one JSON value; if each line has one, pass format: .lines"
        ),
        (nil, nil, "[,1]", [], "[0] is not valid JSON"),
        (nil, nil, "[1,,2]", [1], "[1] is not valid JSON"),
        (nil, nil, "[1 2]", [1], "the body is not valid JSON"),
        (nil, nil, "[1,x,3]", [1], "[1] is not valid"),
        (nil, nil, "[1,{]},3]", [1], "[1] is not valid"),
        (nil, nil, "[1,\"\n\"]", [1], "[1] is not valid JSON"),
        (nil, nil, "[\"12345678\u{1F}\"]", [], "[0] is not valid JSON"),
        (nil, nil, "[{\"a\":1},{\"a\u{0}\"", [["a": 1]], "[1] is not valid JSON"),
        (nil, "a.b", #"{"a":{"c":1}}"#, [], "a has no \"b\""),
        (nil, "a", "{}", [], "the root value has no \"a\""),
        (nil, "a.b", #"{"a":[]}"#, [], "a is not an object"),
        (nil, "a", #"{"a":{}}"#, [], "a is not an array"),
        (nil, "a", #"{"a":[1],"b":"#, [1], "the body is not complete"),
        (nil, "a", #"{"a":[x]}"#, [], "a[0] is not valid"),
        (ndjson, "a", "{}", [], "the body is a sequence of values, not an object; omit the path to the list"),
        (ndjson, nil, "1\n{\"a\":\n2}", [1], "[1] is not valid JSON"),
        (ndjson, nil, "1,2\n", [1], "the body is not valid JSON"),
        (ndjson, nil, "1\n[2", [1], "[1] is not complete"),
        (sequence, nil, "[1]", [], "the body is not valid JSON"),
        // Truncated elements are dropped (RFC 7464 sections 2.1 and 2.4).
        (sequence, nil, "\u{1E}1\n\u{1E}2", [1], nil),
        (sequence, nil, "\u{1E}1\u{1E}2\n", [2], nil),
        (sequence, nil, "\u{1E}[1\u{1E}2\n", [2], nil),
        (sequence, nil, "\u{1E}3\n\u{1E}{\"a\":\"b\u{1E}2\n\u{1E}[4]", [3, 2, [4]], nil),
        (sequence, nil, "\u{1E}[1\n\u{1E}\"a", [], nil),
        (sequence, nil, "\u{1E}}x\n\u{1E}2\n", [2], nil),
    ]

    func testEverySplitOfEveryCase() async throws {
        for (type, path, text, elements, error) in Self.valid + Self.invalid {
            let bytes = Data(text.utf8)
            for first in 0...bytes.count {
                for second in first...bytes.count {
                    let chunks = [bytes[..<first], bytes[first..<second], bytes[second...]]
                    let outcome = await Outcome(chunks, type, at: path)
                    let place = "\(text.debugDescription) split at \(first) and \(second)"
                    XCTAssertEqual(outcome.elements, elements, place)
                    XCTAssertEqual(outcome.reason, error, place)
                }
            }
        }
    }

    func testATruncatedElementIsReported() async throws {
        let events = EventSpy()
        let (bytes, writer) = NetworkBytes.makeStream {}
        writer.write(Data("\u{1E}1\n\u{1E}[2\u{1E}3\n\u{1E}4".utf8))
        writer.finish()
        var network = NetworkConfiguration(
            environment: NetworkEnvironment("https://h.test"), transport: OneStream(bytes: bytes, type: Self.sequence))
        network.observers = [events]
        assertEqual(try await NetworkManager(network).elements(for: List()).collect(), [1, 3] as [JSONValue])
        XCTAssertEqual(events.count(of: .truncatedElement), 2)
    }

    func testTheFormatIsToldByContentType() async {
        for type in [
            "application/x-ndjson", "application/ndjson", "application/jsonl; charset=utf-8", "application/jsonlines",
            "application/x-json-stream", "application/stream+json",
        ] { assertEqual(await Outcome([Data("1\n2".utf8)], type).elements, [1, 2], type) }
        for type in ["application/json-seq", "application/geo+json-seq"] {
            assertEqual(await Outcome([Data("\u{1E}1\n\u{1E}2\n".utf8)], type).elements, [1, 2], type)
        }
        for type in ["application/json", "application/vnd.api+json", "text/plain", nil] {
            assertEqual(await Outcome([Data("[1,2]".utf8)], type).elements, [1, 2], type ?? "none")
        }
    }

    func testAGivenFormatTakesPrecedence() async {
        assertEqual(await Outcome([Data("1\n2".utf8)], "application/json", format: .lines).elements, [1, 2])
        assertEqual(await Outcome([Data("[1,2]".utf8)], Self.ndjson, format: .array).elements, [1, 2])
        assertEqual(await Outcome([Data("\u{1E}[1]".utf8)], nil, format: .sequence).elements, [[1]])
    }

    func testAnElementHasALimit() async throws {
        for chunks in [["[12345,1234567]"], ["[12345,123", "4567]"], ["[12345,123456", "7"], ["[12345,[", "     "]] {
            let outcome = await Outcome(chunks.map { Data($0.utf8) }, nil, sizeLimit: 5)
            XCTAssertEqual(outcome.elements, [12345], "\(chunks)")
            guard case .tooLarge(let failure) = outcome.error, failure.limit == 5 else { return XCTFail("\(outcome)") }
        }
        let name = await Outcome([Data(#"{"aaaaaaaa":1,"a":[]}"#.utf8)], nil, at: "a", sizeLimit: 5)
        guard case .tooLarge = name.error else { return XCTFail("\(name)") }
        let longer = String(repeating: "[12345,1234],", count: 1_000)
        let list = await Outcome([Data("[\(longer)1]".utf8)], nil, sizeLimit: 12)
        XCTAssertEqual(list.elements.count, 1_001)
        XCTAssertNil(list.error)
    }

    func testNestingIsLimitedAsByJSONDecoder() async throws {
        struct Anything: Decodable, Sendable {
            init(from decoder: any Decoder) {}
        }
        struct List: NetworkRequest {
            typealias ValueType = [Anything]

            var path: RequestPath = "ask"
        }
        func network(_ text: String) -> NetworkConfiguration {
            let transport = ChunkTransport(chunks: [Data(text.utf8)])
            return NetworkConfiguration(transport)
        }
        let value = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
        XCTAssertNotNil(try? JSONDecoder().decode([Anything].self, from: Data("[\(value)]".utf8)))
        XCTAssertNil(try? JSONDecoder().decode([Anything].self, from: Data("[[\(value)]]".utf8)))
        assertEqual(try await NetworkManager(network("[\(value)]")).elements(for: List()).collect().count, 1)
        let bomb = String(repeating: "[", count: 1 << 20)
        for (body, path, place) in [("[1,[\(bomb)", nil, "[1]"), (#"{"b":\#(bomb)"#, "a", "the body")] {
            let error = await failure {
                for try await _ in NetworkManager(network(body)).elements(for: List(), at: path) {}
            }
            let text = "\(error as Any)"
            XCTAssert(text.contains(": \(place) has more than 511 nested levels"), text)
        }
    }

    func testAnErrorNamesThePlaceInTheListAndNoValue() async throws {
        struct List: NetworkRequest {
            typealias ValueType = [Item]

            var path: RequestPath = "ask"
        }
        let good = #"{"sku":"a","quantity":1}"#
        for (bad, reason) in [
            (#"{"sku":"secret"}"#, #"shop.items[101] has no "quantity""#),
            (#"{"sku":"secret","quantity":"secret"}"#, "shop.items[101].quantity is not of type Int"),
            (#"{"sku":null,"quantity":1}"#, "shop.items[101].sku is null where String is expected"),
            (#"{"sku":"secret","quantity":secret}"#, "shop.items[101] is not valid"),
        ] {
            let list = (Array(repeating: good, count: 101) + [bad, good]).joined(separator: ",")
            let network = NetworkSession(ChunkTransport(chunks: [Data(#"{"shop":{"items":[\#(list)]}}"#.utf8)]))
            var count = 0
            let error = await failure {
                for try await _ in NetworkManager(network).elements(for: List(), at: "shop.items") { count += 1 }
            }
            let text = "\(error as Any)"
            XCTAssert(text.contains(": \(reason). It was 200"), text)
            XCTAssertFalse(text.contains("secret"))
            XCTAssertEqual(count, 101)
        }
    }

    func testAnElementIsThereWithItsLastByte() async throws {
        for (type, parts) in [
            ("application/json", ["[{\"a\":1}", ",[2]", ",3,4", "]"]),
            (Self.ndjson, ["{\"a\":1}", "\n[2]", "\n3\n4", ""]),
            (Self.sequence, ["\u{1E}{\"a\":1}", "\u{1E}[2]", "\u{1E}3\n\u{1E}4", "\n"]),
        ] {
            let (bytes, writer) = NetworkBytes.makeStream {}
            let transport = OneStream(bytes: bytes, type: type)
            let network = NetworkConfiguration(transport)
            let elements = NetworkManager(network).elements(for: List())
            for (part, element) in zip(parts, [["a": 1], [2], 3] as [JSONValue]) {
                writer.write(Data(part.utf8))
                let first = try await withTimeLimit { () async throws(NetworkError) in try await elements.first() }
                XCTAssertEqual(first, element)
            }
            writer.write(Data(parts[3].utf8))
            writer.finish()
            assertEqual(try await elements.collect(), [4])
        }
    }

    func testTheRequestsDecoderDecodes() async throws {
        struct Named: Decodable, Sendable, Equatable {
            var firstName: String
        }
        struct Names: NetworkRequest {
            typealias ValueType = [Named]

            var path: RequestPath = "ask"
            var decoder: any NetworkDecoder {
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                return decoder
            }
        }
        let transport = CannedTransport(body: #"[{"first_name":"Ada"},{"first_name":"Bea"}]"#)
        let network = NetworkConfiguration(transport)
        let names = try await NetworkManager<Names>(network).elements(for: Names()) {
            $0.headers["X-Till"] = "1"
        }.collect()
        XCTAssertEqual(names.map(\.firstName), ["Ada", "Bea"])
        XCTAssertEqual(transport.calls.map { $0.headers["X-Till"] }, ["1"])
    }

    func testADecoderOfTheAppDecodesTheBytesOfEachElement() async throws {
        struct Lengths: NetworkRequest, NetworkDecoder {
            typealias ValueType = [Int]

            var path: RequestPath = "ask"
            var decoder: any NetworkDecoder { self }

            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
                try JSONDecoder().decode(type, from: Data("\(data.count)".utf8))
            }
        }
        let transport = ChunkTransport(chunks: [Data(#"[{"a":1}, 22 ,"333"]"#.utf8)])
        let network = NetworkSession(NetworkConfiguration(transport))
        assertEqual(try await NetworkManager(network).elements(for: Lengths()).collect(), [7, 2, 5])
    }

    func testADecoderOfListsDecodesElementsTogether() async throws {
        let decoder = CountingDecoder()
        let transport = ChunkTransport(chunks: [Data("[1,2".utf8), Data(",3,4]".utf8)])
        let network = NetworkSession(NetworkConfiguration(transport))
        let numbers = Endpoint<[Int], NetworkError>(path: "ask", decoder: decoder)
        assertEqual(try await NetworkManager(network).elements(for: numbers).collect(), [1, 2, 3, 4])
        XCTAssertEqual(decoder.decoded, ["[1]", "[2,3,4]"])
    }

    func testADecoderOfAnotherFormatIsReportedBeforeTheRequestIsSent() async throws {
        struct Lists: NetworkRequest {
            typealias ValueType = [Int]

            var path: RequestPath = "ask"
            var decoder: any NetworkDecoder { Binary() }
        }
        struct Binary: NetworkDecoder {
            var contentType: String { "application/octet-stream" }

            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
                throw CocoaError(.coderReadCorrupt)
            }
        }
        let server = StubServer()
        let error = await networkError { try await NetworkManager(server.configuration).elements(for: Lists()).first() }
        guard case .invalidRequest(let invalid) = error else { return XCTFail("\(error as Any)") }
        XCTAssertEqual(invalid.member, .decoder)
        XCTAssertEqual(server.requests.count, 0)
    }

    func testAPageInPlaceOfTheListIsNamed() async {
        let outcome = await Outcome([Data("<html>".utf8)], "text/html")
        XCTAssertEqual(outcome.reason?.hasPrefix("it is text/html where application/json was expected"), true)
    }

    func testALongListFromAServer() async throws {
        let numbers = Array(0..<20_000)
        let server = try LoopbackServer { _ in
            StubResponse(numbers.map { $0 == 0 ? "[0" : $0 == 19_999 ? ",19999]" : ",\($0)" }.map { .chunk($0) })
        }
        struct Numbers: NetworkRequest {
            typealias ValueType = [Int]

            var path: RequestPath = "ask"
        }
        let read = try await NetworkManager(NetworkConfiguration(server.url)).elements(for: Numbers()).collect()
        XCTAssertEqual(read, numbers)
    }
}

/// A request for a list of any values.
struct List: NetworkRequest {
    typealias ValueType = [JSONValue]

    var path: RequestPath = "ask"
    var options = RequestOptions()
}

/// What a sequence of elements returned, and how it ended.
struct Outcome {
    var elements: [JSONValue] = []
    var error: NetworkError?

    init(
        _ chunks: [Data], _ type: String?, at path: String? = nil, format: ElementFormat? = nil, sizeLimit: Int? = nil
    ) async {
        var headers = HTTPHeaders()
        headers["Content-Type"] = type
        let network = NetworkSession(NetworkConfiguration(ChunkTransport(chunks: chunks, headers: headers)))
        let list = List(options: RequestOptions(sizeLimit: sizeLimit))
        do throws(NetworkError) {
            for try await element in NetworkManager(network).elements(for: list, at: path, format: format) {
                elements.append(element)
            }
        } catch {
            self.error = error
        }
    }

    /// The reason in the error, without the type and the response.
    var reason: String? {
        guard let error else { return nil }
        let text = "\(error)".components(separatedBy: "JSONValue>: ").last ?? ""
        return text.components(separatedBy: ". It was 200").first
    }
}

/// A transport whose response is a given stream.
private struct OneStream: NetworkTransport {
    let bytes: NetworkBytes
    let type: String

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        NetworkResponse(statusCode: 200, headers: ["Content-Type": type], content: .stream(bytes), url: call.url)
    }
}

/// A decoder of lists that records what it decodes.
private final class CountingDecoder: NetworkDecoder, Sendable {
    private let documents = Kept<[String]>([])

    var decoded: [String] { documents.now }
    var listDecoder: (any NetworkDecoder & Sendable)? { self }

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        documents.add(String(decoding: data, as: UTF8.self))
        return try JSONDecoder().decode(type, from: data)
    }
}
