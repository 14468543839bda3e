import RecordKit
import RecordKitXML
import TestSupport
import XCTest

final class XMLTreeParserTests: TimedTestCase {
    private func tree(_ text: String) throws -> XMLTree { try XMLTree(Data(text.utf8)) }

    private func check(_ section: String, _ xml: String, _ expected: XMLTree) {
        XCTAssertEqual(try tree(xml), expected, "section \(section)")
    }

    func testExamplesOfTheStandard() {
        // The sections of XML 1.0, fifth edition.
        check("2.1", "<a/>", XMLTree(name: "a"))
        check("2.1", " \n<a>\n<b/> x </a>\n", XMLTree(name: "a", children: [XMLTree(name: "b")], text: "\n x "))
        check("2.3", "<größe.x-1_2 é='1'/>", XMLTree(name: "größe.x-1_2", attributes: ["é": "1"]))
        check("2.4", "<a>1 &lt; 2 &amp;&amp; 3 &gt; 2 &quot;&apos;</a>", XMLTree(name: "a", text: "1 < 2 && 3 > 2 \"'"))
        check("2.4", "<a>]] ]> ]]</a>", XMLTree(name: "a", text: "]] ]> ]]"))
        check("2.5", "<!-- <x> & --><a>1<!-- - -->2</a><!---->", XMLTree(name: "a", text: "12"))
        check("2.6", "<?p <a> ?><a>1<?q?>2</a>", XMLTree(name: "a", text: "12"))
        check("2.6", "<?xml-stylesheet href='x'?><a/>", XMLTree(name: "a"))
        check("2.7", "<a>x<![CDATA[<b>&amp;]]]]><![CDATA[>]]>y</a>", XMLTree(name: "a", text: "x<b>&amp;]]>y"))
        check("2.8", "<?xml version='1.0' encoding='UTF-8'?>\n<a/>", XMLTree(name: "a"))
        check("2.8", "<?xml version='1.0'?><a encoding='x'/>", XMLTree(name: "a", attributes: ["encoding": "x"]))
        check("2.8", "<!DOCTYPE a PUBLIC \"-//X//>\" 'http://x/[y]'><a/>", XMLTree(name: "a"))
        check("2.11", "<a>1\r\n2\r3\n4<![CDATA[\r\n]]></a>", XMLTree(name: "a", text: "1\n2\n3\n4\n"))
        let quotes = ["x": "1", "y": "it's", "z": "\""]
        check("3.1", "<a x = '1'\n\ty=\"it's\" z='\"'></a >", XMLTree(name: "a", attributes: quotes))
        check("3.3.3", "<a x='1\r\n2\t3\n4 &#10;&lt;'/>", XMLTree(name: "a", attributes: ["x": "1 2 3 4 \n<"]))
        check("2.2", "<a>\u{FFFD}\u{FF21}\u{1FFFE}</a>", XMLTree(name: "a", text: "\u{FFFD}\u{FF21}\u{1FFFE}"))
        check("4.1", "<a>&#65;&#x42;&#x1F3B5;&#9;</a>", XMLTree(name: "a", text: "AB🎵\t"))
        check("4.1", "<a>&#0000000000000000009;&#x00000000000000000000000041;</a>", XMLTree(name: "a", text: "\tA"))
    }

    func testNamespaces() throws {
        // Namespaces in XML 1.0, sections 5 and 6.
        let root = try tree(
            """
            <m:a xmlns:m="urn:m" xmlns="urn:d" m:k="v" k="w">
            <b><c xmlns=""/><m:d xmlns:m="urn:other"/></b><m:e xml:lang="is"/>
            </m:a>
            """)
        XCTAssertEqual([root.name, root.namespace], ["a", "urn:m"])
        XCTAssertEqual(root.attributes, ["m:k": "v", "k": "w"])
        XCTAssertEqual(root.children.map(\.namespace), ["urn:d", "urn:m"])
        XCTAssertEqual(root.children[0].children.map(\.namespace), [nil, "urn:other"])
        XCTAssertEqual(root.children[1].attributes, ["xml:lang": "is"])
        // Section 6.3: the same name in two namespaces, and in none.
        XCTAssertNoThrow(try tree("<a xmlns:n='u' xmlns:m='v' xmlns='u' n:k='1' m:k='2' k='3'/>"))
    }

    func testEncodings() throws {
        let expected = XMLTree(name: "a", text: "é€")
        func data(_ declared: String, _ encoding: String.Encoding) throws -> Data {
            try XCTUnwrap("<?xml version='1.0' encoding='\(declared)'?><a>é€</a>".data(using: encoding))
        }
        XCTAssertEqual(try XMLTree(data("utf-8", .utf8)), expected)
        XCTAssertEqual(try XMLTree(Data([0xEF, 0xBB, 0xBF]) + data("utf-8", .utf8)), expected)
        XCTAssertEqual(try XMLTree(data("us-ascii", .utf8)), expected)
        XCTAssertEqual(try XMLTree(data("windows-1252", .windowsCP1252)), expected)
        XCTAssertEqual(try XMLTree(data("utf-8", .windowsCP1252), charset: "Windows-1252"), expected)
        XCTAssertEqual(
            try XMLTree(Data([0xFF, 0xFE]) + data("UTF-16", .utf16LittleEndian), charset: "utf-8"), expected)
        XCTAssertEqual(try XMLTree(Data([0xFE, 0xFF]) + data("UTF-16", .utf16BigEndian)), expected)
        XCTAssertEqual(try XMLTree(data("utf-8", .utf8).dropFirst(0)), expected)
        XCTAssertEqual(try XMLTree((Data("xx".utf8) + data("utf-8", .utf8)).dropFirst(2)), expected)
        // The system's charsets.
        func text(_ declared: String, _ bytes: [UInt8], charset: String? = nil) throws -> String {
            let head = Data("<?xml version='1.0' encoding='\(declared)'?><a>".utf8)
            return try XMLTree(head + bytes + Data("</a>".utf8), charset: charset).text
        }
        XCTAssertEqual(try text("GB2312", [0xC4, 0xE3]), "你")
        XCTAssertEqual(try text("iso-8859-15", [0xA4]), "€")
        XCTAssertEqual(try text("KOI8-R", [0xEB]), "К")
        XCTAssertEqual(try text("utf-8", [0xC7, 0xD1], charset: "euc-kr"), "한")
        for wrong in [
            try data("utf-8", .windowsCP1252), try data("utf-7", .utf8), try data("nonsense", .utf8),
            try data("utf-16", .utf8), try data("utf-16", .utf8) + [0x20], try data("utf-32", .utf8),
            try data(" UTF-8", .utf8), try data("", .utf8), try data("8-utf", .utf8), try data("utf_8\u{A0}", .utf8),
            try Data([0xFF, 0xFE]) + data("utf-16", .utf16LittleEndian) + [0],
        ] {
            XCTAssertThrowsError(try XMLTree(wrong)) { error in
                guard case XMLTreeError.encoding = error else { return XCTFail("\(error)") }
            }
        }
    }

    func testDocumentsThatAreNotWellFormed() {
        let texts = [
            "", " ", "hello", "{\"a\": 1}", "<", "<a", "<a>", "<a><b></a></b>", "<a></b>", "</a>", "<a/><b/>", "<a/>x",
            "x<a/>", "<a x/>", "<a x=/>", "<a x=1/>", "<a x='1/>", "<a x='<'/>", "<a x='1' x='2'/>", "<a x='1'y='2'/>",
            "<a b>", "<1/>", "<a>&</a>", "<a>& b;</a>", "<a>&#;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
            "<a>&#x110000;</a>", "<a>&#xFFFE;</a>", "<a>&#xFFFF;</a>", "<!--\u{1}--><a/>", "<a><![CDATA[\u{1}]]></a>",
            "<a>&#+65;</a>", "<a>]]></a>", "<a>\u{0}</a>", "<a>\u{1}</a>", "<a x='\u{8}'/>", "<!-- <a/>",
            "<!-- -- --><a/>",
            "<!--a---><a/>", "<?x", "<a><![CDATA[x</a>", "<![CDATA[x]]><a/>", "<![CDATA[<a/>", "<a/><![CDATA[<b/>",
            "<a><!x></a>", "<!DOCTYPE a", "<a/><!DOCTYPE a>",
            "<!DOCTYPE a><!DOCTYPE a [<!ENTITY x 'y'>]><a/>", "<p:a/>", "<a p:x='1'/>", "<a:b:c xmlns:a='x'/>", "<:a/>",
            "<a:/>", "<a xmlns:p='1' xmlns:p='2'/>", "< a/>", "<a / >", "<a><\u{D7}/></a>", "<a\u{9B}/>",
            "<xml version='1.0'?><a/>", "<a><?xml version='1.0'?></a>", " <?xml version='1.0'?><a/>", "<a><? x?></a>",
            "<a>\u{FFFE}</a>", "<a x='\u{FFFF}'/>", "<!--\u{FFFF}--><a/>", "<a><![CDATA[\u{FFFE}]]></a>", "<a>\u{FFFE}",
            "<a xmlns:n='u' xmlns:m='u' n:k='1' m:k='2'/>", "<b xmlns:n='u'><a xmlns:m='u' n:k='1' m:k='1'/></b>",
            "<a n:-k='v' xmlns:n='u'/>", "<a xmlns:='u'/>", "<\(String(repeating: "n", count: 2000))/>",
        ]
        for text in texts {
            XCTAssertThrowsError(try tree(text), text) { error in
                switch error {
                case XMLTreeError.malformed, XMLTreeError.declaredEntities, XMLTreeError.unknownEntity: break
                default: XCTFail("\(text): \(error)")
                }
            }
        }
        XCTAssertThrowsError(try tree("<a>\n<b>\r\n</a>")) { error in
            XCTAssertEqual(error as? XMLTreeError, .malformed("<b> isn't closed before </a>", line: 3))
        }
    }

    func testEntitiesAreRefused() throws {
        var laughs = "<!DOCTYPE l [<!ENTITY a0 'lol'>"
        for index in 1...9 {
            laughs += "<!ENTITY a\(index) '" + String(repeating: "&a\(index - 1);", count: 10) + "'>"
        }
        let texts = [
            laughs + "]><l>&a9;</l>", "<!DOCTYPE l [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><l>&a;</l>",
            "<!DOCTYPE l [<!ENTITY % p SYSTEM 'http://127.0.0.1/x'> %p;]><l/>", "<!DOCTYPE l [ ]><l/>",
            "<!DOCTYPE l SYSTEM 'http://127.0.0.1/x' [<!ELEMENT l ANY>]><l/>", "<l>&nbsp;</l>", "<l x='&a;'/>",
            "<!DOCTYPE html PUBLIC 'x' 'y'><html>&nbsp;</html>",
        ]
        for text in texts {
            XCTAssertThrowsError(try tree(text), text) { error in
                switch error {
                case XMLTreeError.declaredEntities: XCTAssertTrue(text.contains("["), text)
                case XMLTreeError.unknownEntity: XCTAssertFalse(text.contains("["), text)
                default: XCTFail("\(error)")
                }
            }
        }
        XCTAssertThrowsError(try tree("<l>\n&nbsp;</l>")) { error in
            XCTAssertEqual(error as? XMLTreeError, .unknownEntity("nbsp", line: 2))
            XCTAssertTrue("\(error)".hasPrefix("&nbsp; isn't one of XML's five entities, in line 2;"), "\(error)")
        }
        let utf16 = try XCTUnwrap("\u{FEFF}\(laughs)]><l>&a9;</l>".data(using: .utf16LittleEndian))
        XCTAssertThrowsError(try XMLTree(utf16)) { error in
            XCTAssertEqual(error as? XMLTreeError, .declaredEntities(line: 1))
        }
    }

    func testDepthAndSizeAreLimited() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        XCTAssertNoThrow(try tree(nested(128)))
        for depth in [129, 10_000, 300_000] {
            XCTAssertThrowsError(try tree(nested(depth))) { error in
                XCTAssertEqual(error as? XMLTreeError, .tooDeep(limit: 128))
            }
        }
        XCTAssertThrowsError(try XMLTree(Data(nested(64_000).utf8), depthLimit: .max)) { error in
            XCTAssertEqual(error as? XMLTreeError, .tooDeep(limit: 512))
        }
        let wide = Data(("<a>" + String(repeating: "<b c=''/>", count: 500) + "</a>").utf8)
        XCTAssertEqual(try XMLTree(wide, nodeLimit: 1001).children.count, 500)
        XCTAssertThrowsError(try XMLTree(wide, nodeLimit: 1000)) { error in
            XCTAssertEqual(error as? XMLTreeError, .tooLarge(limit: 1000))
        }
    }

    func testNoDocumentTakesMoreThanItsLengthInTime() throws {
        // Each document takes quadratic time if the parser searches a list.
        let count = 50_000
        let many = (0..<count).map { "x\($0)='1'" }.joined(separator: " ")
        let spaces = (0..<count).map { "xmlns:x\($0)='u'" }.joined(separator: " ")
        let children = String(repeating: "<x1:b xmlns:y='z'/>", count: count)
        let begin = ContinuousClock.now
        XCTAssertEqual(try tree("<a \(many)/>").attributes.count, count)
        XCTAssertEqual(try tree("<a \(spaces)>\(children)</a>").children.count, count)
        XCTAssertEqual(try tree("<a>" + String(repeating: "x&amp;", count: count) + "</a>").text.utf8.count, 2 * count)
        XCTAssertEqual(try tree("<a>" + String(repeating: "<b/>x", count: count) + "</a>").text.utf8.count, count)
        XCTAssertLessThan(ContinuousClock.now - begin, .seconds(60))
    }
}
