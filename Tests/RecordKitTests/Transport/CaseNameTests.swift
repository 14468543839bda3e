import Foundation
import RecordKit
import RecordKitTesting
import XCTest

private protocol Named: NetworkRequest where ValueType == Void, ErrorType == NetworkError {}

extension Named {
    var path: RequestPath { "a" }
}

private enum Resource<Value: Sendable> {
    enum One: Named { case fetch }
    enum Many: Named { case fetch(page: Int) }
}

extension StubServer {
    fileprivate enum Health { enum Check: Named { case ping } }
}

final class CaseNameTests: XCTestCase {
    func testATypeWithinAGenericOneKeepsItsName() throws {
        XCTAssertEqual(
            try Resource<String>.One.fetch.call(in: NetworkEnvironment("https://a.test")).name, "Resource.One.fetch")
        XCTAssertEqual(
            try Resource<@Sendable () -> Int>.Many.fetch(page: 1).call(in: NetworkEnvironment("https://a.test")).name,
            "Resource.Many.fetch")
    }

    func testATypeWithinAnotherModulesKeepsTheNameOfThat() throws {
        XCTAssertEqual(
            try StubServer.Health.Check.ping.call(in: NetworkEnvironment("https://a.test")).name,
            "StubServer.Health.Check.ping")
    }
}
