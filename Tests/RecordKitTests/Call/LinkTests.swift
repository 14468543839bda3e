import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class LinkTests: TimedTestCase {
    func testALinkIsFoundByItsRelation() {
        let pages =
            "<https://store.example/v1/records?page=1>; rel=\"prev first\", <?page=3,4>; title=\"a, <b>\"; REL = Next"
        let rows: [(header: String, relation: String, url: String?)] = [
            (pages, "first", "https://store.example/v1/records?page=1"),
            (pages, "prev", "https://store.example/v1/records?page=1"),
            (pages, "next", "https://store.example/v1/records?page=3,4"),
            (pages, "NEXT", "https://store.example/v1/records?page=3,4"), (pages, "last", nil), (pages, "", nil),
            ("</a>; rel=next, </b>; rel=next", "next", "https://store.example/a"),
            ("<>; rel=next", "next", "https://store.example/v1/records?page=2"),
            ("< >; rel=next", "next", "https://store.example/v1/records?page=2"),
            ("<//other.example/b#part>; rel=next", "next", "https://other.example/b"),
            // The first relation type counts, and a link with another context does not.
            ("</a>; rel=prev; rel=next", "next", nil),
            ("</a>; anchor=\"/x\"; rel=next, </b>;rel=next", "next", "https://store.example/b"),
            ("</a>; rel=\"a\\\"; rel=next", "next", nil),
            (",, </a> ;rel=next;, x", "next", "https://store.example/a"),
            ("</a>", "next", nil),
            ("</a; rel=next", "next", nil),
            ("/a; rel=next", "next", nil),
            ("<mailto:a@b>; rel=next", "next", nil),
            ("<https://user:pass@store.example/a>; rel=next", "next", "https://store.example/a"),
            ("", "next", nil),
        ]
        for (header, relation, url) in rows {
            XCTAssertEqual(answer(["Link": header]).link(relation)?.absoluteString, url, "\(relation) in \(header)")
        }
        XCTAssertNil(answer([:]).link("next"))
    }

    func testLinksMayStandInSeveralLines() {
        var headers: HTTPHeaders = ["Link": "</a>; rel=prev"]
        headers.add("link", "</b>; rel=next")
        XCTAssertEqual(answer(headers).link("next")?.path, "/b")
    }

    func testAManyTimesQuotedHeaderIsReadInAMoment() {
        let header = String(repeating: "<a>; rel=\"x", count: 50_000)
        XCTAssertNil(answer(["Link": header]).link("next"))
    }

    private func answer(_ headers: HTTPHeaders) -> NetworkResponse {
        NetworkResponse(statusCode: 200, headers: headers, url: URL(string: "https://store.example/v1/records?page=2")!)
    }
}
