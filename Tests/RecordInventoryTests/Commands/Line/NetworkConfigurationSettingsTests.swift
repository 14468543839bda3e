import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class NetworkConfigurationSettingsTests: TimedTestCase {
    private func network(_ options: GlobalOptions) throws -> NetworkConfiguration {
        let console = Console(results: Transcript().output(), messages: Transcript().output(), input: .texts())
        return try NetworkConfiguration(Settings(options, environment: [:]), console)
    }

    /// A customer waits at the till.
    func testAServerHasHalfAMinuteForAnAnswerAndLittleMoreForAll() throws {
        let options = try network(GlobalOptions(settings: [.server: "http://127.0.0.1:1/v1"])).options
        XCTAssertEqual(options.timeout, .seconds(30))
        XCTAssertEqual(options.deadline, .seconds(40))
    }

    /// Only the store's own limit ends a wait for it. Its responses may have any size.
    func testAStoreHasNoLimits() throws {
        let options = try network(GlobalOptions(settings: [.store: "stock.sqlite"])).options
        XCTAssertNil(options.deadline)
        XCTAssertEqual(options.sizeLimit, .max)
    }
}
