import RecordKitJSON
import Foundation
import RecordKit
import RecordKitTesting
import Synchronization

/// A server that behaves as MusicBrainz does, with releases made up in its format.
final class MusicBrainzServer: Sendable {
    let server: LoopbackServer
    private let log: Log

    private final class Log: Sendable {
        let times = Mutex<[ContinuousClock.Instant]>([])
        let refusals: Mutex<[StubResponse]>

        init(_ refusals: [StubResponse]) { self.refusals = Mutex(refusals) }
    }

    /// - Parameters:
    ///   - releases: The JSON of releases by a part of the query that finds them. Any other query finds none.
    ///   - refusals: The responses to the first requests.
    init(_ releases: [String: String] = [:], refusing refusals: [StubResponse] = []) throws {
        let log = Log(refusals)
        self.log = log
        server = try LoopbackServer { (request: LoopbackRequest) in
            log.times.withLock { $0.append(.now) }
            if let refusal = log.refusals.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return refusal }
            // Programs without a contact are blocked.
            guard request.header("User-Agent")?.contains("( https://") == true else { return .status(403) }
            let url = URLComponents(string: request.target)
            func value(_ name: String) -> String? { url?.queryItems?.first { $0.name == name }?.value }
            guard url?.path == "/ws/2/release/", value("fmt") == "json", let query = value("query") else {
                return .json(#"{"error":"Not Found"}"#, status: 404)
            }
            let found = releases.first { query.contains($0.key) }?.value ?? ""
            return .json(
                #"{"created":"2026-11-24T17:43:24.000Z","count":\#(found.isEmpty ? 0 : 1),"offset":0,"#
                    + #""releases":[\#(found)]}"#)
        }
    }

    /// The settings with which the tool asks this server.
    func environment(cache: String) -> [String: String] {
        ["RECORD_INVENTORY_MUSICBRAINZ": server.url.absoluteString + "/ws/2", "XDG_CACHE_HOME": cache]
    }

    var queries: [String] {
        server.requests.map { URLComponents(string: $0.target)?.queryItems?.first { $0.name == "query" }?.value ?? "" }
    }

    /// The times between the requests.
    var gaps: [Duration] {
        let times = log.times.withLock { $0 }
        return zip(times, times.dropFirst()).map { $1 - $0 }
    }

    /// An edition with everything that is read.
    static let blue = """
        {"id":"f1afec0b-26dd-3db5-9aa1-c91229a74a24","score":100,"status":"Official","title":"Blue",
        "artist-credit":[{"name":"Joni Mitchell","artist":{"id":"a6de8ef9-b1a1-4756-97aa-481bbb8a4069",
        "name":"Joni Mitchell","sort-name":"Mitchell, Joni"}}],"date":"1971-06-22","country":"US",
        "barcode":"075992703826","track-count":10,"label-info":[{"catalog-number":"MS 2038","label":{
        "id":"2182a316-c4bd-4605-936a-5e2fac52bdd2","name":"Reprise Records"}}],"media":[{"format":"12\\" Vinyl",
        "disc-count":0,"track-count":10}],"release-group":{"id":"x","primary-type":"Album"}}
        """

    /// An edition by two artists, of which little is known.
    static let sparse = """
        {"id":"1","score":80,"title":"Bookends","artist-credit":[{"name":"Simon","joinphrase":" & "},
        {"name":"Garfunkel"}],"date":"","label-info":[{"label":null},{"catalog-number":"KCS 9529"}]}
        """
}
