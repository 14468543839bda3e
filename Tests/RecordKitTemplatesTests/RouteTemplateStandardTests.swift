import RecordKit
import RecordKitTemplates
import TestSupport
import XCTest

/// Every example of RFC 6570.
final class RouteTemplateStandardTests: TimedTestCase {
    private struct Keys: Encodable {
        var semi = ";", dot = ".", comma = ","
    }

    /// The values of sections 1.2 and 3.2.
    private let values: RouteTemplate.Values = [
        "count": ["one", "two", "three"], "dom": ["example", "com"], "dub": "me/too", "hello": "Hello World!",
        "half": "50%", "var": "value", "who": "fred", "base": "http://example.com/home/", "path": "/foo/bar",
        "list": ["red", "green", "blue"], "keys": Keys(), "v": "6", "x": "1024", "y": "768", "empty": "",
        "empty_keys": [String: String](), "undef": nil, "bar": nil,
    ]

    private func check(_ table: KeyValuePairs<String, String>, _ section: String) {
        for (template, expected) in table {
            XCTAssertEqual(
                try RouteTemplate(template).expanded(with: values), expected, "\(template), section \(section)")
        }
    }

    func testTheLevelsOfSection12() {
        check(["{var}": "value", "{hello}": "Hello%20World%21"], "1.2, level 1")
        check(
            [
                "{+var}": "value", "{+hello}": "Hello%20World!", "{+path}/here": "/foo/bar/here",
                "here?ref={+path}": "here?ref=/foo/bar", "X{#var}": "X#value", "X{#hello}": "X#Hello%20World!",
            ], "1.2, level 2")
        check(
            [
                "map?{x,y}": "map?1024,768", "{x,hello,y}": "1024,Hello%20World%21,768",
                "{+x,hello,y}": "1024,Hello%20World!,768", "{+path,x}/here": "/foo/bar,1024/here",
                "{#x,hello,y}": "#1024,Hello%20World!,768", "{#path,x}/here": "#/foo/bar,1024/here",
                "X{.var}": "X.value", "X{.x,y}": "X.1024.768", "{/var}": "/value", "{/var,x}/here": "/value/1024/here",
                "{;x,y}": ";x=1024;y=768", "{;x,y,empty}": ";x=1024;y=768;empty", "{?x,y}": "?x=1024&y=768",
                "{?x,y,empty}": "?x=1024&y=768&empty=", "?fixed=yes{&x}": "?fixed=yes&x=1024",
                "{&x,y,empty}": "&x=1024&y=768&empty=",
            ], "1.2, level 3")
        check(
            [
                "{var:3}": "val", "{var:30}": "value", "{list}": "red,green,blue", "{list*}": "red,green,blue",
                "{keys}": "semi,%3B,dot,.,comma,%2C", "{keys*}": "semi=%3B,dot=.,comma=%2C",
                "{+path:6}/here": "/foo/b/here", "{+list}": "red,green,blue", "{+list*}": "red,green,blue",
                "{+keys}": "semi,;,dot,.,comma,,", "{+keys*}": "semi=;,dot=.,comma=,", "{#path:6}/here": "#/foo/b/here",
                "{#list}": "#red,green,blue", "{#list*}": "#red,green,blue", "{#keys}": "#semi,;,dot,.,comma,,",
                "{#keys*}": "#semi=;,dot=.,comma=,", "X{.var:3}": "X.val", "X{.list}": "X.red,green,blue",
                "X{.list*}": "X.red.green.blue", "X{.keys}": "X.semi,%3B,dot,.,comma,%2C",
                "X{.keys*}": "X.semi=%3B.dot=..comma=%2C", "{/var:1,var}": "/v/value", "{/list}": "/red,green,blue",
                "{/list*}": "/red/green/blue", "{/list*,path:4}": "/red/green/blue/%2Ffoo",
                "{/keys}": "/semi,%3B,dot,.,comma,%2C", "{/keys*}": "/semi=%3B/dot=./comma=%2C",
                "{;hello:5}": ";hello=Hello", "{;list}": ";list=red,green,blue",
                "{;list*}": ";list=red;list=green;list=blue", "{;keys}": ";keys=semi,%3B,dot,.,comma,%2C",
                "{;keys*}": ";semi=%3B;dot=.;comma=%2C", "{?var:3}": "?var=val", "{?list}": "?list=red,green,blue",
                "{?list*}": "?list=red&list=green&list=blue", "{?keys}": "?keys=semi,%3B,dot,.,comma,%2C",
                "{?keys*}": "?semi=%3B&dot=.&comma=%2C", "{&var:3}": "&var=val", "{&list}": "&list=red,green,blue",
                "{&list*}": "&list=red&list=green&list=blue", "{&keys}": "&keys=semi,%3B,dot,.,comma,%2C",
                "{&keys*}": "&semi=%3B&dot=.&comma=%2C",
            ], "1.2, level 4")
    }

    func testVariablesAndSimpleExpansion() {
        check(
            [
                "{count}": "one,two,three", "{count*}": "one,two,three", "{/count}": "/one,two,three",
                "{/count*}": "/one/two/three", "{;count}": ";count=one,two,three",
                "{;count*}": ";count=one;count=two;count=three", "{?count}": "?count=one,two,three",
                "{?count*}": "?count=one&count=two&count=three", "{&count*}": "&count=one&count=two&count=three",
            ], "3.2.1")
        check(
            [
                "{var}": "value", "{hello}": "Hello%20World%21", "{half}": "50%25", "O{empty}X": "OX",
                "O{undef}X": "OX", "{x,y}": "1024,768", "{x,hello,y}": "1024,Hello%20World%21,768",
                "?{x,empty}": "?1024,", "?{x,undef}": "?1024", "?{undef,y}": "?768", "{var:3}": "val",
                "{var:30}": "value", "{list}": "red,green,blue", "{list*}": "red,green,blue",
                "{keys}": "semi,%3B,dot,.,comma,%2C", "{keys*}": "semi=%3B,dot=.,comma=%2C",
            ], "3.2.2")
        // Not an example of the RFC: an empty value is defined (RFC 6570 section 3.2.1).
        check(["{empty,x}": ",1024", "{+empty,undef,x}": ",1024", "{empty,empty}": ",", "{undef,x}": "1024"], "3.2.1")
    }

    func testReservedAndFragmentExpansion() {
        check(
            [
                "{+var}": "value", "{+hello}": "Hello%20World!", "{+half}": "50%25",
                "{base}index": "http%3A%2F%2Fexample.com%2Fhome%2Findex",
                "{+base}index": "http://example.com/home/index",
                "O{+empty}X": "OX", "O{+undef}X": "OX", "{+path}/here": "/foo/bar/here",
                "here?ref={+path}": "here?ref=/foo/bar", "up{+path}{var}/here": "up/foo/barvalue/here",
                "{+x,hello,y}": "1024,Hello%20World!,768", "{+path,x}/here": "/foo/bar,1024/here",
                "{+path:6}/here": "/foo/b/here", "{+list}": "red,green,blue", "{+list*}": "red,green,blue",
                "{+keys}": "semi,;,dot,.,comma,,", "{+keys*}": "semi=;,dot=.,comma=,",
            ], "3.2.3")
        check(
            [
                "{#var}": "#value", "{#hello}": "#Hello%20World!", "{#half}": "#50%25", "foo{#empty}": "foo#",
                "foo{#undef}": "foo", "{#x,hello,y}": "#1024,Hello%20World!,768",
                "{#path,x}/here": "#/foo/bar,1024/here",
                "{#path:6}/here": "#/foo/b/here", "{#list}": "#red,green,blue", "{#list*}": "#red,green,blue",
                "{#keys}": "#semi,;,dot,.,comma,,", "{#keys*}": "#semi=;,dot=.,comma=,",
            ], "3.2.4")
    }

    func testLabelsAndSegments() {
        check(
            [
                "{.who}": ".fred", "{.who,who}": ".fred.fred", "{.half,who}": ".50%25.fred",
                "www{.dom*}": "www.example.com", "X{.var}": "X.value", "X{.empty}": "X.", "X{.undef}": "X",
                "X{.var:3}": "X.val", "X{.list}": "X.red,green,blue", "X{.list*}": "X.red.green.blue",
                "X{.keys}": "X.semi,%3B,dot,.,comma,%2C", "X{.keys*}": "X.semi=%3B.dot=..comma=%2C",
                "X{.empty_keys}": "X", "X{.empty_keys*}": "X",
            ], "3.2.5")
        check(
            [
                "{/who}": "/fred", "{/who,who}": "/fred/fred", "{/half,who}": "/50%25/fred",
                "{/who,dub}": "/fred/me%2Ftoo", "{/var}": "/value", "{/var,empty}": "/value/", "{/var,undef}": "/value",
                "{/var,x}/here": "/value/1024/here", "{/var:1,var}": "/v/value", "{/list}": "/red,green,blue",
                "{/list*}": "/red/green/blue", "{/list*,path:4}": "/red/green/blue/%2Ffoo",
                "{/keys}": "/semi,%3B,dot,.,comma,%2C", "{/keys*}": "/semi=%3B/dot=./comma=%2C",
            ], "3.2.6")
    }

    func testParametersAndQueries() {
        check(
            [
                "{;who}": ";who=fred", "{;half}": ";half=50%25", "{;empty}": ";empty",
                "{;v,empty,who}": ";v=6;empty;who=fred", "{;v,bar,who}": ";v=6;who=fred", "{;x,y}": ";x=1024;y=768",
                "{;x,y,empty}": ";x=1024;y=768;empty", "{;x,y,undef}": ";x=1024;y=768", "{;hello:5}": ";hello=Hello",
                "{;list}": ";list=red,green,blue", "{;list*}": ";list=red;list=green;list=blue",
                "{;keys}": ";keys=semi,%3B,dot,.,comma,%2C", "{;keys*}": ";semi=%3B;dot=.;comma=%2C",
            ], "3.2.7")
        check(
            [
                "{?who}": "?who=fred", "{?half}": "?half=50%25", "{?x,y}": "?x=1024&y=768",
                "{?x,y,empty}": "?x=1024&y=768&empty=", "{?x,y,undef}": "?x=1024&y=768", "{?var:3}": "?var=val",
                "{?list}": "?list=red,green,blue", "{?list*}": "?list=red&list=green&list=blue",
                "{?keys}": "?keys=semi,%3B,dot,.,comma,%2C", "{?keys*}": "?semi=%3B&dot=.&comma=%2C",
            ], "3.2.8")
        check(
            [
                "{&who}": "&who=fred", "{&half}": "&half=50%25", "?fixed=yes{&x}": "?fixed=yes&x=1024",
                "{&x,y,empty}": "&x=1024&y=768&empty=", "{&x,y,undef}": "&x=1024&y=768", "{&var:3}": "&var=val",
                "{&list}": "&list=red,green,blue", "{&list*}": "&list=red&list=green&list=blue",
                "{&keys}": "&keys=semi,%3B,dot,.,comma,%2C", "{&keys*}": "&semi=%3B&dot=.&comma=%2C",
            ], "3.2.9")
    }

    func testTheTableOfSection24() {
        let values: RouteTemplate.Values = [
            "var": "value", "semi": ";", "year": ["1965", "2000", "2012"], "dom": ["example", "com"],
        ]
        let table: KeyValuePairs = [
            "{var}": "value", "{var:20}": "value", "{var:3}": "val", "{semi}": "%3B", "{semi:2}": "%3B",
            "find{?year*}": "find?year=1965&year=2000&year=2012", "www{.dom*}": "www.example.com",
        ]
        for (template, expected) in table {
            XCTAssertEqual(try? RouteTemplate(template).expanded(with: values), expected, template)
        }
        struct Address: Encodable { var city = "Newport Beach", state = "CA" }
        XCTAssertEqual(
            try? RouteTemplate("/mapper{?address*}").expanded(with: ["address": Address()]),
            "/mapper?city=Newport%20Beach&state=CA")
    }
    /// A prefix never splits a percent-encoded character: that counts as one (RFC 6570 section 2.4.1).
    func testAPrefixOfEscapes() throws {
        let rows: [(value: String, expression: String, expanded: String)] = [
            ("%61%62%63%64%65%66", "{+v:5}", "%61%62%63%64%65"), ("a%62c", "{+v:2}", "a%62"),
            ("%C3%A4b", "{+v:1}", "%C3%A4"), ("%E2%82%ACuro", "{+v:2}", "%E2%82%ACu"),
            ("%F0%9F%8E%B5x", "{+v:1}", "%F0%9F%8E%B5"), ("äb", "{+v:1}", "%C3%A4"),
            // Not the bytes of a character, or no escape.
            ("%C3b", "{+v:1}", "%C3"), ("%A4%A4", "{+v:1}", "%A4"), ("%E2%82", "{+v:1}", "%E2"),
            ("%6", "{+v:1}", "%25"),
            ("%6gh", "{+v:2}", "%256"), ("%", "{+v:3}", "%25"), ("%61", "{+v:9}", "%61"),
            // Where escapes are encoded again, they are characters like others.
            ("%61%62", "{v:4}", "%2561%25"),
        ]
        for (value, expression, expanded) in rows {
            XCTAssertEqual(
                try RouteTemplate(expression).expanded(with: ["v": value]), expanded, "\(value) in \(expression)")
        }
    }
}
