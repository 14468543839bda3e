import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// `lookup` and `add --lookup`.
final class LookupCommandTests: TimedTestCase {
    private let barcode = "075992703826"

    func testABarcodeIsLookedUpOnce() async throws {
        let till = try Till()
        let musicBrainz = try MusicBrainzServer([barcode: MusicBrainzServer.blue])
        let environment = musicBrainz.environment(cache: till.folder.path("cache"))
        for _ in 0..<2 {
            let found = await till.type("lookup", barcode, environment: environment).expect(.done)
            XCTAssertEqual(
                found.rows,
                [["Joni Mitchell", "Blue", "Reprise Records", "MS 2038", "1971", "US", "12\" Vinyl", barcode]])
        }
        let request = try XCTUnwrap(musicBrainz.server.requests.first)
        XCTAssertEqual(
            musicBrainz.queries,
            [
                ["0075992703826", "00075992703826", barcode, "75992703826"].map { "barcode:\($0)" }.joined(
                    separator: " OR ")
            ])
        XCTAssertTrue(request.header("User-Agent")?.hasPrefix("record-inventory/") == true)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: till.folder.path("cache/record-inventory/musicbrainz"))
        XCTAssertTrue(names.contains("next-request"), "\(names)")

        let fresh = await till.type("lookup", barcode, "--fresh", "--json", environment: environment)
        XCTAssertTrue(
            fresh.results.contains(#"{"artist":"Joni Mitchell","title":"Blue","label":"Reprise Records","#),
            fresh.results)
        XCTAssertEqual(musicBrainz.queries.count, 2)
        XCTAssertFalse(FileManager.default.fileExists(atPath: till.folder.path("stock.sqlite")), "no store is needed")
    }

    func testTheTimeoutIsThatOfTheCommandLine() throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { (_: LoopbackRequest) in .never }
        let tool = Tool(
            store: folder.path("stock.sqlite"),
            environment: [
                "RECORD_INVENTORY_MUSICBRAINZ": server.url.absoluteString, "XDG_CACHE_HOME": folder.path("cache"),
            ])
        let start = ContinuousClock.now
        try tool.run("lookup", barcode, "--timeout", "1").expect(2)
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(20), "it would be half a minute")
    }

    func testWordsAreWordsWhateverTheyAre() async throws {
        let till = try Till()
        let musicBrainz = try MusicBrainzServer(["bookends": MusicBrainzServer.sparse])
        let environment = musicBrainz.environment(cache: till.folder.path("cache"))
        let found = await till.type("lookup", "bookends", "OR a\"b\\*", environment: environment)
        XCTAssertEqual(found.rows, [["Simon & Garfunkel", "Bookends", "", "KCS 9529", "", "", "", ""]])
        func clause(_ word: String) -> String { "(artist:\(word) OR release:\(word) OR catno:\(word))" }
        XCTAssertEqual(
            musicBrainz.queries,
            [[#""bookends""#, #""OR""#, #""a\"b\\*""#].map(clause).joined(separator: " AND ")])
        assertEqual(await till.type("lookup", "unknown", environment: environment).expect(.notFound).results, "")
    }

    /// MusicBrainz writes names in brackets for what is missing.
    func testALabelComesWithItsOwnCatalogNumber() async throws {
        func entry(_ label: String?, _ number: String?) -> String {
            let label = label.map { #"{"name":"\#($0)"}"# } ?? "null"
            return #"{"label":\#(label),"catalog-number":\#(number.map { "\"\($0)\"" } ?? "null")}"#
        }
        for (index, (entries, label, number)) in [
            ([entry("[no label]", "[none]"), entry("Reprise", nil), entry("Asylum", "AS 1")], "Asylum", "AS 1"),
            ([entry("Reprise", nil), entry("[no label]", "K 44"), entry(nil, "[none]")], "Reprise", ""),
            ([entry("[no label]", "[none]")], "", ""),
        ].enumerated() {
            let till = try Till()
            let release =
                #"{"title":"Blue","artist-credit":[{"name":"Joni"}],"label-info":[\#(entries.joined(separator: ","))]}"#
            let musicBrainz = try MusicBrainzServer([barcode: release])
            let found = await till.type(
                "lookup", barcode, environment: musicBrainz.environment(cache: till.folder.path("cache")))
            XCTAssertEqual(found.rows.map { Array($0[2...3]) }, [[label, number]], "\(index): \(found.messages)")
        }
    }

    func testABusyServerIsAskedAgainWhenItSays() async throws {
        let till = try Till()
        let busy = StubResponse.status(503, headers: ["Retry-After": "1"])
        let musicBrainz = try MusicBrainzServer([barcode: MusicBrainzServer.blue], refusing: [busy])
        let environment = musicBrainz.environment(cache: till.folder.path("cache"))
        await till.type("lookup", barcode, environment: environment).expect(.done)
        XCTAssertGreaterThan(try XCTUnwrap(musicBrainz.gaps.first), .milliseconds(950))

        let closed = try MusicBrainzServer(refusing: [.status(503, headers: ["Retry-After": "120"])])
        let later = await till.type(
            "lookup", barcode, environment: closed.environment(cache: till.folder.path("other"))
        ).expect(.rateLimited)
        XCTAssertEqual(later.messages, "record-inventory: MusicBrainz is busy: try again in 120 s\n")
        let slow = try MusicBrainzServer(refusing: [.status(503, headers: ["Retry-After": "30"])])
        await till.type("lookup", barcode, environment: slow.environment(cache: till.folder.path("slow")))
            .expect(.rateLimited, "try again in 30 s")
        // The other processes wait, too, unless it takes too long.
        let other = await till.type(
            "lookup", "blue", "--timeout", "4", environment: closed.environment(cache: till.folder.path("other")))
        XCTAssertEqual(other.exitCode, .rateLimited)
        XCTAssertNotNil(other.messages.firstMatch(of: /MusicBrainz is busy: try again in (60|5\d) s/), other.messages)
        XCTAssertEqual(closed.queries.count, 1)
        closed.server.stop()
        let gone = await till.type("lookup", barcode, environment: closed.environment(cache: till.folder.path("third")))
        XCTAssertEqual(gone.exitCode, .network, gone.messages)
    }

    /// The limit is for an address, so processes share it.
    func testProcessesShareOneRequestASecond() throws {
        let folder = try TemporaryFolder()
        let musicBrainz = try MusicBrainzServer()
        let tool = Tool(
            store: folder.path("stock.sqlite"), environment: musicBrainz.environment(cache: folder.path("cache")))
        let start = Int64(Date().timeIntervalSince1970 * 1_000)
        let processes = try (0..<3).map { try tool.start(["lookup", "word\($0)"]) }
        for process in processes {
            process.waitUntilExit()
            XCTAssertEqual(process.terminationStatus, 3)
        }
        XCTAssertEqual(musicBrainz.queries.count, 3)
        // Each has taken a second of its own.
        let next = try String(
            contentsOfFile: folder.path("cache/record-inventory/musicbrainz/next-request"), encoding: .utf8)
        XCTAssertGreaterThanOrEqual(try XCTUnwrap(Int64(next)), start + 3_000)
    }

    func testAddFillsWhatIsMissingAfterAQuestion() async throws {
        let till = try Till()
        let musicBrainz = try MusicBrainzServer([
            barcode: [MusicBrainzServer.sparse, MusicBrainzServer.blue, MusicBrainzServer.blue].joined(separator: ",")
        ])
        let environment = musicBrainz.environment(cache: till.folder.path("cache"))
        let add = ["add", "--sku", "A", "--barcode", barcode, "--lookup", "--price", "18.50", "--currency", "EUR"]
        let refused = await till.type(add, answer: "n\nn\n", environment: environment).expect(.failed)
        XCTAssertTrue(
            refused.messages.hasPrefix(
                "Add Simon & Garfunkel: Bookends? [y/N] "
                    + "Add Joni Mitchell: Blue, Reprise Records, 1971, US, 12\" Vinyl? [y/N] Nothing was added."),
            refused.messages)
        await till.type(add, environment: environment).expect(.usage)

        await till.type(add, answer: "n\ny\n", environment: environment).expect(.done)
        await till.type(
            ["add", "--sku", "B", "--title", "Blue (reissue)", "--year", "2001"] + add.dropFirst(3), answer: "n\ny\n",
            environment: environment
        ).expect(.done)
        for (sku, values) in [
            ("A", [#""title":"Blue""#, #""year":1971"#]), ("B", [#""title":"Blue (reissue)""#, #""year":2001"#]),
        ] {
            let record = await till.type("show", sku, "--json")
            for value in values + [#""artist":"Joni Mitchell""#, #""label":"Reprise Records""#] {
                XCTAssertTrue(record.results.contains(value), "\(value): \(record.results)")
            }
        }
        await till.type(
            add.map { $0 == barcode ? "4006381333931" : $0 }, answer: "y\n", environment: environment
        ).expect(.notFound)
        XCTAssertEqual(musicBrainz.queries.count, 2)
        for arguments in [
            ["add", "--lookup", "--price", "1", "--currency", "EUR"],
            ["add", "--barcode", barcode, "--price", "1", "--currency", "EUR"],
        ] { await till.type(arguments, answer: "y\n", environment: environment).expect(.usage) }
    }
}
