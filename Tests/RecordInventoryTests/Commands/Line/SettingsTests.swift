import TestSupport
import XCTest

@testable import RecordInventory

final class SettingsTests: TimedTestCase {
    private func settings(_ options: GlobalOptions = GlobalOptions(), _ environment: [String: String] = [:]) throws
        -> Settings
    { try Settings(options, environment: environment.merging(["HOME": "/home/shop"]) { given, _ in given }) }

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

    func testAnAccountHasAUserAndAPasswordOrIsNone() throws {
        let server = GlobalOptions(settings: [.server: "http://a/v1"])
        var asking = server
        asking.names = ["--password-stdin"]
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
        XCTAssertNil(
            try settings(GlobalOptions(settings: [.store: "s"]), both).account, "the embedded store needs no account")
    }
}
