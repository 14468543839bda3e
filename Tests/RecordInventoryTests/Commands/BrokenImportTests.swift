import RecordKitJSON
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// The messages of an import that ends before its file does.
final class BrokenImportTests: TimedTestCase {
    func testRowsThatWereRejectedBesideTheOneThatEndedItAreNamedAndCounted() async throws {
        let refused = #"{"status":403,"headers":{},"body":{"code":403,"errno":121,"error":"Forbidden"}}"#
        let failed = #"{"status":500,"headers":{},"body":{"code":500,"errno":999,"error":"Odd","message":"no"}}"#
        let answer = KintoReply.batch(KintoReply.lock, KintoReply.made, refused, failed)
        let server = try LoopbackServer.kinto { request in
            guard request.method == .post else {
                let missing = #"{"code":404,"errno":110,"details":{"resource_name":"record"}}"#
                return request.path.contains("/drawer/")
                    ? .json(missing, status: 404) : .json(#"{"settings":{}}"#)
            }
            // The tool sends the refused row once more, alone.
            return .json(request.text.contains("records/A") ? answer : KintoReply.batch(KintoReply.lock, refused))
        }
        let till = try Till(server: server)
        let outcome = await till.type(
            "import", try till.file("A,B,C,1,EUR", "Y,B,C,1,EUR", "Z,B,C,1,EUR"), "--id", "I1"
        ).expect(.failed)
        XCTAssertEqual(
            outcome.messages,
            """
            record-inventory: row 3 (Y): this account may not write this record
            record-inventory: the import was not finished: 1 created, 0 updated, 0 unchanged, 1 rejected so far; \
            import the file again with --id I1
            record-inventory: the server responded with 500: Odd: no

            """)
    }

    func testADryRunThatBreaksHasWrittenNothing() async throws {
        let till = try Till()
        // Long enough for a thousand rows to be compared before the last chunk, which is not UTF-8, is read.
        let rows = (0..<3_000).map { "R-\($0),Artist,\(String(repeating: "t", count: 100)),1,EUR\n" }.joined()
        let pipe = Pipe()
        let writer = Thread {
            let text = Data(("sku,artist,title,price,currency\n" + rows).utf8)
            try? pipe.fileHandleForWriting.write(contentsOf: text + [0xFF])
            try? pipe.fileHandleForWriting.close()
        }
        writer.start()
        let file = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        let outcome = await till.type("import", file, "--dry-run")
        outcome.expect(.badData, "nothing was written, and the dry run was not finished; so far it would be: ")
        XCTAssertFalse(outcome.messages.contains("the import was not finished"), outcome.messages)
    }
}
