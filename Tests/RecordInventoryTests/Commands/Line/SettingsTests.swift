import TestSupport
import XCTest

@testable import RecordInventory

final class SettingsTests: TimedTestCase {
    private func settings(_ options: GlobalOptions = GlobalOptions(), _ environment: [String: String] = [:]) throws
        -> Settings
    {
        try Settings(options, environment: environment.merging(["HOME": "/home/shop"]) { given, _ in given })
    }

    func testAFlagWinsOverAVariableAndAServerOverAStore() throws {
        let both = ["RECORD_INVENTORY_SERVER": "http://variable/v1", "RECORD_INVENTORY_STORE": "variable.sqlite"]
        let store = GlobalOptions(store: "flag.sqlite")
        let server = GlobalOptions(store: "flag.sqlite", server: "http://flag/v1")
        XCTAssertEqual(try settings(server, both).place, .server("http://flag/v1"))
        XCTAssertEqual(try settings(store, both).place, .store(path: "flag.sqlite"))
        XCTAssertEqual(try settings(GlobalOptions(), both).place, .server("http://variable/v1"))
        XCTAssertEqual(
            try settings(GlobalOptions(), ["RECORD_INVENTORY_STORE": "variable.sqlite"]).place,
            .store(path: "variable.sqlite"))
    }

    func testAStoreThatIsAURLIsRefused() throws {
        for (url, variable) in [("http://127.0.0.1:8888/v1", false), ("HTTPS://me:hunter2@a/v1", true)] {
            let name = variable ? "RECORD_INVENTORY_STORE" : "--store"
            let hint = variable ? "RECORD_INVENTORY_SERVER" : "--server"
            XCTAssertThrowsError(
                try settings(GlobalOptions(store: variable ? nil : url), variable ? [name: url] : [:])
            ) {
                let message = ($0 as? UsageError)?.message
                XCTAssertEqual(message, "\(name) requires a file, not a URL; for a Kinto server use \(hint)")
            }
        }
        for path in ["http.sqlite", "./http://a", "ftp:/a"] {
            XCTAssertEqual(try settings(GlobalOptions(store: path)).place, .store(path: path))
        }
    }

    func testTheDefaultStoreLiesInTheDataFolder() throws {
        XCTAssertEqual(
            try settings(GlobalOptions(), ["XDG_DATA_HOME": "/data"]).place,
            .store(path: "/data/record-inventory/stock.sqlite"))
        #if canImport(Darwin)
        let path = "/home/shop/Library/Application Support/record-inventory/stock.sqlite"
        #else
        let path = "/home/shop/.local/share/record-inventory/stock.sqlite"
        #endif
        XCTAssertEqual(try settings().place, .store(path: path))
        XCTAssertEqual(try settings(GlobalOptions(), ["XDG_DATA_HOME": "relative"]).place, .store(path: path))
        XCTAssertThrowsError(try settings(GlobalOptions(), ["HOME": ""]))
    }

    func testAnEmptyVariableIsNone() throws {
        let empty = [
            "RECORD_INVENTORY_SERVER": "", "RECORD_INVENTORY_STORE": "", "RECORD_INVENTORY_USER": "",
            "RECORD_INVENTORY_PASSWORD_FILE": "", "XDG_DATA_HOME": "",
        ]
        XCTAssertEqual(try settings(GlobalOptions(), empty), try settings())
    }

    func testAServerIsAWholeURLWithoutSecrets() throws {
        XCTAssertEqual(
            try settings(GlobalOptions(server: "https://store.example:8443/v1//")).place,
            .server("https://store.example:8443/v1"))
        XCTAssertEqual(
            try settings(GlobalOptions(server: "http://[::1]:8888/v1")).place, .server("http://[::1]:8888/v1"))
        for server in [
            "store.example", "ftp://a/v1", "http://", "http:///v1", "http://a/v1?x=1", "http://a/v1#x", "http://a b/",
            "http://a:0/v1", "http://a:99999/v1", "http://a:999999999999999999999/v1", "127.0.0.1:8888",
            "http://a:b/v1", "http://a:-1/v1", "http://[::1/v1", "http://a:80:90/", "http://a:/v1", "http://a/v1 x",
            "http://a/v1 ", "http://a/v1/../x", "http://a/ü", "http://a/a%zz",
        ] {
            XCTAssertThrowsError(try settings(GlobalOptions(server: server)), server) {
                XCTAssertTrue("\($0)".hasPrefix("--server requires a URL such as http://127.0.0.1:8888/v1; "), "\($0)")
            }
        }
        XCTAssertThrowsError(try settings(GlobalOptions(), ["RECORD_INVENTORY_SERVER": "http://me:hunter2@a/v1"])) {
            XCTAssertTrue("\($0)".hasPrefix("RECORD_INVENTORY_SERVER takes no user or password"), "\($0)")
            XCTAssertFalse("\($0)".contains("hunter2"))
        }
    }

    func testAUserOrAPasswordAloneInTheURLIsRefusedToo() {
        for server in ["http://me@a/v1", "http://:hunter2@a/v1", "http://@a/v1", "http://me:hunter2@a b/v1"] {
            XCTAssertThrowsError(try settings(GlobalOptions(server: server)), server) {
                XCTAssertTrue("\($0)".hasPrefix("--server takes no user or password"), "\($0)")
            }
        }
    }

    func testAPasswordInAnAddressThatIsNoneIsNotShown() {
        for server in [
            "me:hunter2@a:8888/v1", "http:/me:hunter2@a/v1", "http//me:hunter2@a/v1", #"http:\\me:hunter2@a/v1"#,
            "ftp://me:hun#hunter2@a/v1", "http://me:hunter2/x@a/v1", "http://me:hun?hunter2@a/v1",
        ] {
            XCTAssertThrowsError(try settings(GlobalOptions(server: server)), server) {
                XCTAssertTrue("\($0)".hasPrefix("--server takes no user or password"), "\($0)")
                XCTAssertFalse("\($0)".contains("hunter2"), "\($0)")
            }
        }
    }

    func testAPathMayHoldAnAt() throws {
        XCTAssertEqual(
            try settings(GlobalOptions(server: "http://a/shops@b/v1")).place, .server("http://a/shops@b/v1"))
    }

    func testNoServerHoweverWrittenTraps() {
        for server in ["http://ü.de:８０/v1", "http://%zz/v1", "http://a/ü v", "http://ü:99999999999/v1", "http://a:/v1"]
        {
            _ = try? settings(GlobalOptions(server: server))
        }
    }

    func testTheBucketIsShopUnlessNamed() throws {
        XCTAssertEqual(try settings().bucket, "shop")
        XCTAssertEqual(try settings(GlobalOptions(bucket: "cellar")).bucket, "cellar")
    }

    func testAnAccountHasAUserAndAPasswordOrIsNone() throws {
        let server = GlobalOptions(server: "http://a/v1")
        var asking = server
        asking.passwordFromStandardInput = true
        let user = ["RECORD_INVENTORY_USER": "shop"]
        let file = ["RECORD_INVENTORY_PASSWORD_FILE": "/secret"]
        let both = user.merging(file) { $1 }

        XCTAssertNil(try settings(server).account)
        XCTAssertEqual(
            try settings(server, both).account, Settings.Account(user: "shop", passwordSource: .file("/secret")))
        XCTAssertEqual(
            try settings(asking, both).account, Settings.Account(user: "shop", passwordSource: .standardInput))
        XCTAssertThrowsError(try settings(server, user))
        XCTAssertThrowsError(try settings(server, file))
        XCTAssertThrowsError(try settings(asking))
        XCTAssertThrowsError(try settings(asking, ["RECORD_INVENTORY_USER": "a:b"]))
        XCTAssertNil(try settings(GlobalOptions(store: "s"), both).account, "the embedded store needs no account")
    }
}
