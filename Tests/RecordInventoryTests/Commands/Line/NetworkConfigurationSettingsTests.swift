import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class NetworkConfigurationSettingsTests: TimedTestCase {
    private func network(
        _ options: GlobalOptions, timeout: Duration = .seconds(30)
    ) throws -> NetworkConfiguration {
        let console = Console(results: Transcript().output(), messages: Transcript().output(), input: .texts())
        return try NetworkConfiguration(Settings(options, environment: [:]), console, timeout: timeout)
    }

    /// A customer waits at the till.
    func testAServerHasHalfAMinuteForAResponseAndLittleMoreForAll() throws {
        for (timeout, deadline) in [(30, 40), (3, 6)] {
            let server = GlobalOptions(settings: [.server: "http://127.0.0.1:1/v1"])
            let options = try network(server, timeout: .seconds(timeout)).options
            XCTAssertEqual(options.timeout, .seconds(timeout))
            XCTAssertEqual(options.deadline, .seconds(deadline))
        }
    }

    /// Only the store's own limit ends a wait for it. Its responses may have any size.
    func testAStoreHasNoLimits() throws {
        let options = try network(GlobalOptions(settings: [.store: "stock.sqlite"])).options
        XCTAssertNil(options.deadline)
        XCTAssertEqual(options.sizeLimit, .max)
    }
}
