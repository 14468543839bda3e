import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import Testing

/// The same with Swift Testing, whose tests run in parallel.
@Suite struct StubServerSuite {
    @Test(arguments: 0..<200)
    func everyTestHasAServerOfItsOwn(number: Int) async throws {
        try await withStubs { stub in
            try stub.respond(to: RecordService.One.fetch(sku: "a"), with: Record(sku: "a", quantity: number))
            let record = try await NetworkSession(stub.configuration).value(for: RecordService.One.fetch(sku: "a"))
            #expect(record.quantity == number)
            #expect(stub.requests.count == 1)
        }
    }

    @Test func aReporterFailsTheTestWhereItStands() async throws {
        await withKnownIssue {
            let stub = StubServer(report: { Issue.record(Comment(rawValue: $0)) })
            _ = await stub.configuration.failure(of: Ask<Data>())
        } matching: { issue in
            issue.comments.first?.rawValue == "No stub expects GET https://stub.test/ask. There are no stubs."
        }
    }

    @Test func whatWasNotAskedIsThrown() async {
        await #expect(throws: UnmetStubsError.self) {
            try await withStubs { $0.respond(to: "/never", with: .status(200)) }
        }
    }

    @MainActor @Test func aTestOnTheMainActorStaysThere() async throws {
        var counted = 0
        try await withStubs { stub in
            stub.respond(to: "/ask", with: .text("x"))
            counted += try await NetworkSession(stub.configuration).value(for: Ask<String>()).count
        }
        #expect(counted == 1)
    }
}
