import Foundation
import RecordKit
import RecordKitTesting
import RecordKitXML
import TestSupport
import XCTest

// The snippets of the guide of RecordKitXML.

struct Track: XMLReadable {
    let title: String

    init(_ tree: XMLTree) throws {
        title = try tree.value(at: "recording/title")
    }
}

struct Release: XMLReadable {
    let id: String
    let title: String
    let barcode: String?
    let tracks: [Track]

    init(_ tree: XMLTree) throws {
        let release = try tree.element(at: "release")
        id = try release.value(at: "@id")
        title = try release.value(at: "title")
        barcode = try release.valueIfPresent(at: "barcode")
        tracks = try release.elements(
            at: "medium-list/medium/track-list/track"
        ).map { try Track($0) }
    }
}

enum ReleaseRequest: NetworkRequest {
    typealias ValueType = Release

    case release(id: String)

    var path: RequestPath {
        switch self {
        case .release(let id): "release/\(id)"
        }
    }

    var options: RequestOptions {
        RequestOptions(expectedType: "application/xml")
    }
}

enum Feed: NetworkRequest {
    typealias ValueType = XMLTree

    case latest

    var path: RequestPath { "feed.xml" }
}

/// Stands for the decoder of another library.
struct SomeXMLDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        throw CocoaError(.coderReadCorrupt)
    }
}

extension SomeXMLDecoder: NetworkDecoder {
    var contentType: String { "application/xml" }
}

final class XMLExampleTests: TimedTestCase {
    func testARelease() async throws {
        let stub = StubServer()
        let tracks = "<track-list><track><recording><title>All I Want</title></recording></track></track-list>"
        let release = "<title>Blue</title><medium-list><medium>\(tracks)</medium></medium-list>"
        let document = "<metadata><release id=\"1\">\(release)</release></metadata>"
        stub.respond(to: "/release/1", with: .data(Data(document.utf8), contentType: "application/xml"))

        let read = try await NetworkSession(stub.configuration).value(for: ReleaseRequest.release(id: "1"))

        XCTAssertEqual(read.title, "Blue")
        XCTAssertNil(read.barcode)
        XCTAssertEqual(read.tracks.map(\.title), ["All I Want"])
    }

    func testNamespaces() async throws {
        let stub = StubServer()
        let atom = "<a:link xmlns:a=\"http://www.w3.org/2005/Atom\">self</a:link>"
        let document = "<rss><channel>\(atom)<link>site</link></channel></rss>"
        stub.respond(to: "/feed.xml", with: .data(Data(document.utf8), contentType: "application/rss+xml"))

        let feed = try await NetworkSession(stub.configuration).value(for: Feed.latest)
        let link = try feed.element(at: "channel/{}link")
        let atomLink = try feed.element(
            at: "channel/{http://www.w3.org/2005/Atom}link")

        XCTAssertEqual(link.text, "site")
        XCTAssertEqual(atomLink.text, "self")
    }
}
