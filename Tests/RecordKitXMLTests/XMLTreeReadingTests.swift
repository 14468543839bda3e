import RecordKit
import RecordKitXML
import RecordKitTesting
import TestSupport
import XCTest

final class XMLTreeReadingTests: TimedTestCase {
    private let shelf = """
        <shelf id="s1" open="1">
          <box/>
          <box n="2"><record sku="a"><title> Blue </title><copies> 3 </copies></record></box>
          <box n="x"><record sku="b"><title/></record><record sku="c"/></box>
        </shelf>
        """

    func testPaths() throws {
        let tree = try XMLTree(Data(shelf.utf8))
        XCTAssertEqual(tree.elements(at: "box").count, 3)
        XCTAssertEqual(tree.elements(at: "box/record").map { $0.attributes["sku"] }, ["a", "b", "c"])
        XCTAssertEqual(tree.elements(at: ""), [tree])
        XCTAssertEqual(tree.elements(at: "no/record"), [])
        XCTAssertEqual(try tree.element(at: "box/record").attributes, ["sku": "a"])
        XCTAssertEqual(try tree.value(at: "box/record/title"), " Blue ")
        XCTAssertEqual(try tree.value(at: "box/record/copies"), 3)
        XCTAssertEqual(try tree.value(at: "box/@n"), 2)
        XCTAssertEqual(try tree.value(at: "@id"), "s1")
        XCTAssertEqual(try tree.value(at: "@open"), true)
        XCTAssertEqual(try tree.elements(at: "box")[1].value(at: "record/copies", as: Double.self), 3)
        XCTAssertNil(try tree.valueIfPresent(at: "box/missing", as: Int.self))
        XCTAssertNil(try tree.valueIfPresent(at: "@missing", as: String.self))
        XCTAssertEqual(try tree.elements(at: "box/record")[0].element(at: "copies").value(at: "", as: Int.self), 3)
    }

    func testAMissingOrWrongElementIsNamed() throws {
        let tree = try XMLTree(Data(shelf.utf8))
        XCTAssertThrowsError(try tree.value(at: "box/year", as: Int.self)) { error in
            XCTAssertEqual(error as? XMLTreeError, .missing(path: "box/year", in: "shelf"))
            XCTAssertEqual("\(error)", "<shelf> has no box/year")
        }
        XCTAssertThrowsError(try tree.value(at: "box/record/title", as: Int.self)) { error in
            XCTAssertEqual("\(error)", "box/record/title of <shelf> can't be read as Int")
        }
        XCTAssertThrowsError(try tree.element(at: "x")) { error in
            XCTAssertEqual(error as? XMLTreeError, .missing(path: "x", in: "shelf"))
        }
    }

    /// In a feed, the right element isn't always the first.
    func testOneNamespaceIsNamedInBraces() throws {
        let feed = """
            <rss xmlns:atom="http://www.w3.org/2005/Atom" xmlns:t="tag:me@example.com,2026:t">
              <channel><atom:link href="/self"/><link>/</link><t:link>/t</t:link></channel>
            </rss>
            """
        let tree = try XMLTree(Data(feed.utf8))
        XCTAssertEqual(tree.elements(at: "channel/link").count, 3)
        XCTAssertEqual(try tree.value(at: "channel/{}link"), "/")
        XCTAssertEqual(try tree.value(at: "{}channel/{tag:me@example.com,2026:t}link"), "/t")
        XCTAssertEqual(try tree.value(at: "channel/{http://www.w3.org/2005/Atom}link/@href"), "/self")
        XCTAssertThrowsError(try tree.element(at: "{http://www.w3.org/2005/Atom}channel")) { error in
            XCTAssertEqual("\(error)", "<rss> has no {http://www.w3.org/2005/Atom}channel")
        }
    }

    func testAnElementThatIsNilHasNoValue() throws {
        let record = """
            <record xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
              <year xsi:nil="true"/><copies xsi:nil="false">3</copies><label xsi:nil="1"/>
            </record>
            """
        let tree = try XMLTree(Data(record.utf8))
        XCTAssertNil(try tree.valueIfPresent(at: "year", as: Int.self))
        XCTAssertNil(try tree.valueIfPresent(at: "label", as: String.self))
        XCTAssertEqual(try tree.value(at: "copies"), 3)
        XCTAssertEqual(try tree.element(at: "year").children, [])
    }

    func testThePrefixOfNilIsTheDocumentsOwn() throws {
        let record = """
            <record xmlns:i="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsi="urn:other">
              <year i:nil="true"/><title xsi:nil="true">Blue</title>
            </record>
            """
        let tree = try XMLTree(Data(record.utf8))
        XCTAssertNil(try tree.valueIfPresent(at: "year", as: Int.self))
        XCTAssertEqual(try tree.valueIfPresent(at: "title"), "Blue")
        let year = XMLTree(name: "year", attributes: ["i:nil": "true"])
        let title = XMLTree(name: "title", attributes: ["xsi:nil": "true"], text: "Blue")
        XCTAssertEqual(tree.children, [year, title], "parsed trees equal trees that are built in code")
    }

    func testURLsAndDates() throws {
        let moment = Date(timeIntervalSince1970: 1_795_887_600)
        for (text, date) in [
            ("2026-11-28T17:40:00Z", moment), (" 2026-11-28T18:40:00+01:00\n", moment),
            ("2026-11-28T17:40:00.500Z", moment + 0.5), ("2026-11-28", moment - 63_600),
            ("2026-11-28T17:40:00Zulu", nil),
            ("2026-13-28T17:40:00Z", nil), ("28.11.2026", nil), ("2026-11-28T17:40:00", nil), ("", nil),
        ] as [(String, Date?)] {
            let tree = XMLTree(name: "sale", attributes: ["at": text])
            XCTAssertEqual(try? tree.value(at: "@at", as: Date.self), date, text)
            XCTAssertNil(try tree.valueIfPresent(at: "@until", as: Date.self))
        }
        let page = "https://store.example/a?b=c"
        for (text, url) in [(" \(page)\n", URL(string: page)), ("/a", URL(string: "/a")), ("a b", nil), ("", nil)] {
            let tree = XMLTree(name: "record", children: [XMLTree(name: "page", text: text)])
            XCTAssertEqual(try? tree.value(at: "page"), url, text)
            XCTAssertNil(try tree.valueIfPresent(at: "image", as: URL.self))
        }
        XCTAssertThrowsError(try XMLTree(name: "a", text: "x").value(at: "", as: Date.self)) { error in
            XCTAssertEqual("\(error)", "the text of <a> can't be read as Date")
        }
    }

    private struct Shelf: XMLReadable {
        let id: String
        init(_ tree: XMLTree) throws { id = try tree.value(at: "@id") }
    }

    func testRequestsAskForXML() async throws {
        let transport = CannedTransport(body: #"<shelf id="1"/>"#)
        let network = NetworkSession(transport)
        _ = try await network.value(for: Ask<XMLTree>())
        _ = try await network.value(for: Ask<Shelf?>())
        _ = try await network.value(for: Ask<Shelf>(options: RequestOptions(expectedType: "text/xml")))
        XCTAssertEqual(
            transport.calls.map { $0.headers["Accept"] },
            ["application/xml, */*;q=0.5", "application/xml, */*;q=0.5", "text/xml, */*;q=0.5"])
    }

    func testAPageInPlaceOfXMLIsNamed() async throws {
        for body in ["<!DOCTYPE html><html><br></html>", "<html><body>Sign in</body></html>"] {
            let page = CannedTransport(headers: ["Content-Type": "text/html"], body: body)
            guard case .decoding(let failure) = await NetworkSession(page).failure(of: Ask<Shelf>()) else {
                return XCTFail("no error")
            }
            let reason = "it is text/html where application/xml was expected; the sign-in page of a network"
            XCTAssertTrue(failure.description.contains(reason), failure.description)
        }
    }

    func testAResponseIsATreeOrATypeThatReadsItself() async throws {
        struct Shelf: XMLReadable, Equatable {
            let id: String
            let skus: [String]
            init(_ tree: XMLTree) throws {
                id = try tree.value(at: "@id")
                skus = try tree.elements(at: "box/record").map { try $0.value(at: "@sku") }
            }
        }
        let latin = try XCTUnwrap("<a>é</a>".data(using: .isoLatin1))
        let server = try LoopbackServer { [shelf] request in
            switch request.path {
            case "/ask": .status(200, headers: ["Content-Type": "application/xml"], body: Data(shelf.utf8))
            case "/latin": .status(200, headers: ["Content-Type": "text/xml; charset=ISO-8859-1"], body: latin)
            case "/cut": .status(200, headers: ["Content-Type": "text/xml"], body: Data(shelf.utf8.prefix(60)))
            default: .status(200)
            }
        }
        let configuration = NetworkSession(
            NetworkConfiguration(server.url, options: RequestOptions(expectedType: "application/xml")))

        assertEqual(try await configuration.value(for: Ask<Shelf>()).skus, ["a", "b", "c"])
        XCTAssertEqual(server.requests.first?.header("Accept"), "application/xml, */*;q=0.5")
        assertEqual(try await configuration.value(for: Ask<XMLTree>(path: "latin")), XMLTree(name: "a", text: "é"))
        assertNil(try await configuration.value(for: Ask<XMLTree?>(path: "empty")))

        for (path, expected) in [("cut", "well-formed"), ("empty", "empty")] {
            let ask = Ask<XMLTree>(path: "\(path)")
            let error = await configuration.failure(of: ask)
            guard case .decoding(let failure) = error else { return XCTFail("\(String(describing: error))") }
            XCTAssertTrue(failure.description.contains(expected), failure.description)
        }
    }
}
