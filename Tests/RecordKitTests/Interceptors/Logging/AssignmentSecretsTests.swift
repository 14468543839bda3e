import XCTest

@testable import RecordKit

final class AssignmentSecretsTests: XCTestCase {
    func testWhatLiesWithinASecretIsNotLookedAtAgain() {
        let text = Array(String(repeating: "token=x ", count: 100).utf8)
        let found = AssignmentSecrets.found(in: text + Array("\nb=1\nsecret: y".utf8), SecretNames([]))
        XCTAssertEqual(found.map(\.range), [6..<800, 813..<814])
    }
}
