import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// The sensitive values that an audit finds.
final class AuditSensitiveValueTests: TimedTestCase {
    private func problems(
        _ samples: [AuditSample], sensitiveNames: Set<String> = [], secrets: [String] = []
    ) -> [String] {
        do {
            try audit(samples, sensitiveNames: sensitiveNames, secrets: secrets)
            return []
        } catch {
            return error.findings.map(\.problem)
        }
    }

    func testASecretIsLookedForInEveryFormAndPlace() {
        let found = "it prints value 1 of `secrets`"
        for secret in ["hunter2", "hunter/2", "hunter-2/x", #"hunter"2"#, #"a"/2"#, "a'/2"] {
            for sample in [
                AuditSample(Ask<Data>(path: "ask/\(secret)")),
                AuditSample(Ask<Data>(method: .post, content: ["note": secret])),
            ] {
                XCTAssertEqual(problems([sample], secrets: [secret]), [found], secret)
            }
        }
        let form = AuditSample(Ask<Data>(method: .post, content: FormBody(["note": "hunter 2*"])))
        XCTAssertEqual(problems([form], secrets: ["hunter 2*"]), [found])
        let plainSlash = AuditSample(Ask<Data>(method: .post, content: #"{"note": "a\"/2"}"#))
        XCTAssertEqual(problems([plainSlash], secrets: [#"a"/2"#]), [found])
        let echo = StubResponse.data(Data("x".utf8), contentType: "text/hunter2")
        XCTAssertEqual(problems([AuditSample(Ask<String>(), success: echo)], secrets: ["hunter2"]), [found])
        let value = AuditSample(Ask<String>(), failures: [echo: .cancelled])
        XCTAssertEqual(problems([value], secrets: ["hunter2"]).last, found)
    }

    func testEachCookieIsASecret() {
        let asked = Ask<Data>(path: "ask/\("abc123")", headers: ["Cookie": "sid=abc123; theme=dark"])
        XCTAssertEqual(problems([AuditSample(asked)]), ["it prints the value of its header Cookie"])
    }

    func testTheNamesOfTheAppAreSecretToo() throws {
        let asked = Ask<String>(path: "ask/\("71234")", headers: ["Pin": "71234"])
        let found = ["it prints the value of its header Pin"]
        XCTAssertEqual(problems([AuditSample(asked)]), [])
        XCTAssertEqual(problems([AuditSample(asked)], sensitiveNames: ["pin"]), found)
        XCTAssertThrowsError(try audit([asked], sensitiveNames: ["pin"])) { error in
            XCTAssertEqual((error as? AuditError)?.findings.map(\.problem), found)
        }
    }

    func testShortValuesAreReportedOnlyIfGiven() {
        func ask(_ key: String) -> AuditSample {
            AuditSample(Ask<String>(path: "ask/\(key)", headers: ["X-Api-Key": key]))
        }
        XCTAssertEqual(problems([ask("abc")]), [])
        XCTAssertEqual(problems([ask("abcd")]), ["it prints the value of its header X-Api-Key"])
        XCTAssertEqual(problems([ask("abc")], secrets: ["abc"]), ["it prints value 1 of `secrets`"])
    }
}
