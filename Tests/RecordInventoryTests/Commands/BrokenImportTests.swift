import RecordKit
import RecordKitTesting
import XCTest

@testable import RecordInventory

/// What is said of an import that ends before its file does.
final class BrokenImportTests: XCTestCase {
    func testRowsThatWereRejectedBesideTheOneThatEndedItAreNamedAndCounted() async throws {
        let refused = #"{"status":403,"headers":{},"body":{"code":403,"errno":121,"error":"Forbidden"}}"#
        let failed = #"{"status":500,"headers":{},"body":{"code":500,"errno":999,"error":"Odd","message":"no"}}"#
        let answer = KintoAnswer.batch(KintoAnswer.lock, KintoAnswer.made, refused, failed)
        let server = try LoopbackServer { request in
            guard request.method == .post else { return .json(#"{"settings":{}}"#) }
            // The row that was refused is asked for once more, alone.
            return .json(request.text.contains("records/A") ? answer : KintoAnswer.batch(KintoAnswer.lock, refused))
        }
        let till = try Till(server: server)
        let outcome = await till.type("import", try till.file("A,B,C,1,EUR", "Y,B,C,1,EUR", "Z,B,C,1,EUR"))
        XCTAssertEqual(outcome.exitCode, .failed)
        XCTAssertEqual(
            outcome.messages,
            """
            record-inventory: row 3 (Y): this account may not write this record
            record-inventory: the import was not finished: 1 created, 0 updated, 0 unchanged, 1 rejected so far; \
            import the file again
            record-inventory: the server answered 500: Odd: no

            """)
    }
}
