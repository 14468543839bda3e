import RecordKitJSON
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// `delete` of a record that another client changes in the meantime.
final class DeleteCommandTests: TimedTestCase {
    /// Returns a server whose record changes after its first read. It deletes only the changed record.
    private func server() throws -> LoopbackServer {
        let reads = Kept(0)
        return try LoopbackServer.kinto { request in
            if request.method == .get {
                let version =
                    request.path.contains("/locks/")
                    ? 7
                    : reads.change { reads in
                        reads += 1
                        return min(6 + reads, 8)
                    }
                return .json(
                    #"{"permissions":{"write":["account:shop"]},"data":{"id":"A","last_modified":\#(version),"#
                        + #""sku":"A","artist":"B","title":"T\#(version)","quantity":2,"status":"for_sale","#
                        + #""price":{"amount":1,"currency":"EUR"}}}"#)
            }
            let answer =
                request.text.contains(#"\"8\""#)
                ? #"{"status":200,"headers":{},"body":{"data":{"id":"A","last_modified":9,"deleted":true}}}"#
                : #"{"status":412,"headers":{},"body":{"code":412,"errno":114}},"#
                    + #"{"status":409,"headers":{},"body":{"code":409,"errno":122}}"#
            return .json(#"{"responses":[{"status":200,"headers":{},"body":{}},\#(answer)]}"#)
        }
    }

    func testTheRecordOfTheQuestionIsTheOneThatIsDeleted() async throws {
        let server = try server()
        let outcome = try await Till(server: server).type("delete", "A", answer: "y\n")
        outcome.expect(
            .conflict,
            "Delete A, B: T7, with 2 copies in stock?",
            "was changed while you were asked, so it was not deleted")
        XCTAssertFalse(outcome.messages.contains("Deleted"), outcome.messages)
    }

    func testWithoutAQuestionItIsDeletedAsItIs() async throws {
        let server = try server()
        let outcome = try await Till(server: server).type("delete", "A", "--yes")
        XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
        XCTAssertTrue(outcome.messages.hasPrefix("Deleted A.\n"), outcome.messages)
    }
}
