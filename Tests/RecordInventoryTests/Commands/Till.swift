import RecordKitJSON
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// Runs commands of the tool, with a store of its own.
struct Till: Sendable {
    struct Outcome {
        let command: [String]
        let exitCode: ExitCode
        let results: String
        let messages: String

        /// The fields of each line of results.
        var rows: [[String]] {
            results.split(separator: "\n").map {
                $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            }
        }

        /// The first field of each line of results.
        var skus: [String] { rows.map { $0[0] } }

        /// Checks the exit code, that the messages contain all of these, and that the results do.
        @discardableResult
        func expect(
            _ exitCode: ExitCode, _ said: String..., prints: String..., file: StaticString = #filePath,
            line: UInt = #line
        ) -> Outcome {
            XCTAssertEqual(self.exitCode, exitCode, "\(command): \(messages)", file: file, line: line)
            for (output, texts) in [(messages, said), (results, prints)] {
                for text in texts {
                    XCTAssertTrue(output.contains(text), "\(command): \(output)", file: file, line: line)
                }
            }
            return self
        }
    }

    let folder: TemporaryFolder
    /// The day of the movements. `nil` is today.
    var day: CalendarDay?
    /// The minutes since midnight of that day, in UTC.
    var minutes = 0
    /// The options before each command, which name the store or the server.
    var place: [String]
    /// The environment variables of each command.
    var environment: [String: String] = [:]

    init() throws {
        folder = try TemporaryFolder()
        place = ["--store", folder.path("stock.sqlite")]
    }

    /// Creates a till that uses a server, without an account.
    init(server: LoopbackServer) throws {
        folder = try TemporaryFolder()
        place = ["--server", server.url.absoluteString + "/v1"]
    }

    /// Creates a till that uses a shop of its own on a live Kinto.
    init(_ kinto: LiveKinto) throws {
        folder = try TemporaryFolder()
        place = ["--bucket", "till-\(UUID().uuidString.lowercased())"]
        environment = try kinto.environment(folder)
    }

    /// Creates a store without a shop.
    func makeStore() throws { _ = try StoreFile.open(folder.url.appending(path: "stock.sqlite")) }

    func type(_ arguments: String..., answer: String? = nil, environment: [String: String] = [:]) async -> Outcome {
        await type(arguments, answer: answer, environment: environment)
    }

    /// Runs a command. If `answer` is not `nil`, runs it on a terminal and answers its question. With a `timeout`
    /// or a transport of its own, every request is sent once. With a clock, only its waits take time, and no deadline
    /// ends them. Sends a sale again that was lost until its `patience` ends.
    func type(
        _ arguments: [String], answer: String? = nil, environment: [String: String] = [:], timeout: Duration? = nil,
        clock: ManualClock? = nil, asksWhatWasMade: Bool = false, patience: Duration = .zero, input: String? = nil,
        columns: Int = 100,
        over transport: (any NetworkTransport)? = nil
    ) async -> Outcome {
        let results = Transcript()
        let messages = Transcript()
        let isTerminal = answer != nil
        let shell = Shell(
            results: results.output(isTerminal: isTerminal, columns: columns),
            messages: messages.output(isTerminal: isTerminal),
            input: .texts(input ?? answer ?? "", isTerminal: isTerminal),
            environment: environment.merging(self.environment) { given, _ in given }
                .merging(["NO_COLOR": "1"]) { given, _ in given })
        let exitCode = await shell.run(place + arguments) { command, options, settings, console in
            try await CommandContext.run(command, options, settings, console) { network in
                if let transport { network.transport = transport }
                if let timeout { network.options.timeout = timeout }
                if timeout != nil || transport != nil { network.interceptors.removeAll { $0 is RetryInterceptor } }
                if let clock {
                    network.clock = clock.networkClock
                    network.options.deadline = nil
                }
            } stock: { stock in
                if let day {
                    let time = Int64(day.number) * 86_400_000 + Int64(minutes) * 60_000
                    stock.source.now = { MovementTime(milliseconds: time, offset: 0) }
                }
                stock.questionDelays = asksWhatWasMade ? [.zero] : []
                stock.patience = patience
            }
        }
        return Outcome(command: arguments, exitCode: exitCode, results: results.text, messages: messages.text)
    }

    /// Runs a command with these lines on standard input, as from a scanner.
    func scan(_ arguments: [String], _ lines: String) async -> Outcome { await type(arguments, input: lines) }

    /// The store of the till, as another program or another till has it open.
    var store: EmbeddedStore { EmbeddedStore(file: folder.url.appending(path: "stock.sqlite")) }

    var transport: EmbeddedTransport { EmbeddedTransport(store) }

    /// Sends a request as another program may that does not know our rules.
    ///
    /// - Parameter path: The id of a record, or a collection and an id: `movements/S1`.
    @discardableResult
    func send(_ method: HTTPMethod, _ path: String, _ values: JSONValue? = nil) async throws -> StoreResponse {
        let parts = (path.contains("/") ? path : "records/\(path)").split(separator: "/", maxSplits: 1)
        return try await store.respond(
            to: StoreRequest(
                method: method, path: "/v1/buckets/shop/collections/\(parts[0])/records/\(parts[1])",
                body: values.map { .json(["data": $0]) } ?? .bytes(Data())))
    }

    /// Adds an object as another program may write it, without a SKU.
    func addUnreadable(_ id: String) async throws { try await send(.put, id) }

    func patch(_ id: String, _ values: JSONValue) async throws {
        assertEqual(try await send(.patch, id, values).status, 200)
    }

    /// Adds a record with default values for the fields that do not matter.
    func add(_ sku: String, _ fields: String...) async -> Outcome {
        let needed = ["--artist": "Artist", "--title": "Title", "--price": "10.00", "--currency": "EUR"]
        let rest = needed.filter { !fields.contains($0.key) }.flatMap { [$0.key, $0.value] }
        return await type(["add", "--sku", sku] + fields + rest)
    }

    /// Writes a CSV file in our format, with these rows below a header.
    func file(_ rows: String..., header: String = "sku,artist,title,price,currency") throws -> String {
        try folder.write(([header] + rows).joined(separator: "\n").utf8)
    }
}

/// The responses of Kinto to the requests of a batch.
enum KintoReply {
    /// The response to the request for the lock.
    static let lock = #"{"status":201,"headers":{},"body":{}}"#
    /// The response to the request that creates record A.
    static let made =
        #"{"status":201,"headers":{},"body":{"data":{"id":"A","last_modified":7,"sku":"A","artist":"B","#
        + #""title":"C","quantity":1,"status":"for_sale","price":{"amount":100,"currency":"EUR"}}}}"#

    /// The body of the response to a request for record A, of which there are two copies.
    static let record =
        #"{"permissions":{"write":["account:shop"]},"data":{"id":"A","last_modified":7,"sku":"A","artist":"B","#
        + #""title":"C","quantity":2,"status":"for_sale","price":{"amount":1,"currency":"EUR"}}}"#

    /// The response to a request for the lock, or for the anchor of the ledger, of an account that may write it.
    static let known =
        #"{"status":200,"headers":{},"body":{"permissions":{"write":["account:shop"]},"#
        + #""data":{"ledger":\#(Ledger.format)}}}"#

    /// The response to the request that enters a movement.
    static let entered = #"{"status":201,"headers":{},"body":{"data":{"id":"m"}}}"#

    static func batch(_ answers: String...) -> String {
        #"{"responses":[\#(answers.joined(separator: ","))]}"#
    }
}
