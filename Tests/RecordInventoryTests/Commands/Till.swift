import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import XCTest

@testable import RecordInventory

/// Runs commands of the tool, with a store of its own.
struct Till: Sendable {
    struct Outcome {
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
    }

    let folder: TemporaryFolder
    /// The day of the movements. `nil` is today.
    var day: CalendarDay?
    private let place: [String]

    init() throws {
        folder = try TemporaryFolder()
        place = ["--store", folder.path("stock.sqlite")]
    }

    /// Creates a till that uses a server, without an account.
    init(server: LoopbackServer) throws {
        folder = try TemporaryFolder()
        place = ["--server", server.url.absoluteString + "/v1"]
    }

    func type(_ arguments: String..., answer: String? = nil, environment: [String: String] = [:]) async -> Outcome {
        await type(arguments, answer: answer, environment: environment)
    }

    /// Runs a command. If `answer` is not `nil`, runs it on a terminal and answers its question. With a `timeout`,
    /// every request is sent once. With a clock, only its waits take time, and no deadline ends them.
    func type(
        _ arguments: [String], answer: String? = nil, environment: [String: String] = [:], timeout: Duration? = nil,
        clock: ManualClock? = nil, asksWhatWasMade: Bool = false, input: String? = nil, columns: Int = 100
    ) async -> Outcome {
        let results = Transcript()
        let messages = Transcript()
        let isTerminal = answer != nil
        let shell = Shell(
            results: results.output(isTerminal: isTerminal, columns: columns),
            messages: messages.output(isTerminal: isTerminal),
            input: .texts(input ?? answer ?? "", isTerminal: isTerminal),
            environment: environment.merging(["NO_COLOR": "1"]) { given, _ in given })
        let exitCode = await shell.run(place + arguments) { command, options, settings, console in
            var network = try NetworkConfiguration(settings, console)
            if let timeout {
                network.options.timeout = timeout
                network.options.retry = .never
            }
            if let clock {
                network.clock = clock.networkClock
                network.options.deadline = nil
            }
            var stock = Stock(network, bucket: settings.bucket, source: settings.source)
            if let day {
                stock.source.now = { MovementTime(milliseconds: Int64(day.number) * 86_400_000, offset: 0) }
            }
            stock.isDryRun = options.isDryRun
            stock.questionDelays = asksWhatWasMade ? [.zero] : []
            return try await CommandRunner(
                stock: stock, place: settings.place, printsJSON: options.json, console: console,
                showsDetails: options.showsDetails
            )
            .run(command)
        }
        return Outcome(exitCode: exitCode, results: results.text, messages: messages.text)
    }

    /// Runs a command with these lines on standard input, as from a scanner.
    func scan(_ arguments: [String], _ lines: String) async -> Outcome {
        await type(arguments, input: lines)
    }

    /// Adds an object as another program may write it, without a SKU.
    func addUnreadable(_ id: String) async throws {
        let store = EmbeddedStore(file: folder.url.appending(path: "stock.sqlite"))
        _ = try await store.answer(
            StoreRequest(method: .put, path: "/v1/buckets/shop/collections/records/records/\(id)"))
    }

    /// Stores other values in a record, as another program may that does not know our rules.
    func patch(_ id: String, _ values: JSONValue) async throws {
        let store = EmbeddedStore(file: folder.url.appending(path: "stock.sqlite"))
        let answer = try await store.answer(
            StoreRequest(
                method: .patch, path: "/v1/buckets/shop/collections/records/records/\(id)",
                body: .json(["data": values])))
        XCTAssertEqual(answer.status, 200)
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
enum KintoAnswer {
    /// The response to the request for the lock.
    static let lock = #"{"status":201,"headers":{},"body":{}}"#
    /// The response to the request that creates record A.
    static let made =
        #"{"status":201,"headers":{},"body":{"data":{"id":"A","last_modified":7,"sku":"A","artist":"B","#
        + #""title":"C","quantity":1,"status":"for_sale","price":{"amount":100,"currency":"EUR"}}}}"#

    /// The response to the request that enters a movement.
    static let entered = #"{"status":201,"headers":{},"body":{"data":{"id":"m"}}}"#

    static func batch(_ answers: String...) -> String {
        #"{"responses":[\#(answers.joined(separator: ","))]}"#
    }
}

extension LoopbackServer {
    /// Creates a server with a complete ledger. `respond` answers the other requests. Its response to a batch has none
    /// for the movements, which are accepted with their records.
    static func kinto(_ respond: @escaping @Sendable (LoopbackRequest) -> LoopbackResponse) throws -> LoopbackServer {
        try LoopbackServer { request in
            if request.method == .get, request.path.hasSuffix("/records/\(Ledger.anchorID)") { return ready }
            if request.method == .get, request.path.hasSuffix("/records/\(Ledger.lockID)") { return ready }
            if request.method == .get, request.path.hasSuffix("/\(Ledger.collection)/records") {
                return .json(#"{"data":[]}"#)
            }
            if request.method == .get, request.path.contains("/\(Ledger.collection)/records/") {
                let missing = #"{"code":404,"errno":110,"details":{"resource_name":"record"}}"#
                return .json(missing, status: 404)
            }
            let answer = respond(request)
            return request.method == .post ? withMovements(answer, to: request) : answer
        }
    }

    /// Creates a server with a complete ledger, and these responses to the other requests in turn.
    static func kinto(answers: [LoopbackResponse]) throws -> LoopbackServer {
        let rest = Mutex(answers[...])
        return try kinto { _ in
            rest.withLock { rest in rest.count > 1 ? rest.removeFirst() : rest.first ?? .close }
        }
    }

    private static let ready = LoopbackResponse.json(
        #"{"permissions":{"write":["account:shop"]},"data":{"id":"x","last_modified":1,"ledger":1}}"#)

    static func withMovements(_ answer: LoopbackResponse, to request: LoopbackRequest) -> LoopbackResponse {
        guard let text = request.text.split(separator: "\r\n\r\n").last,
            let sent = try? JSONReader.read(Array(text.utf8)).object?["requests"]?.array,
            let body = answer.body, let json = try? JSONReader.read(Array(body)),
            let given = json.object?["responses"]?.array, given.count > 1, given.count < sent.count
        else { return answer }
        var rest = given.dropFirst()
        var last: JSONValue = [:]
        let responses = sent.dropFirst().map { part -> JSONValue in
            if part.object?["path"]?.string?.contains("/records/records/") == true {
                last = rest.popFirst() ?? [:]
                return last
            }
            let status = last.object?["status"]?.integer ?? 0
            if 200..<300 ~= status { return ["status": 201, "headers": [:], "body": ["data": ["id": "m"]]] }
            return last
        }
        return .json((["responses": .array([given[0]] + responses)] as JSONValue).text())
    }
}

extension LoopbackResponse {
    /// The last bytes of the body. A step does not show them, but its mirror does.
    fileprivate var body: Data? {
        guard let step = steps.last, let action = Mirror(reflecting: step).children.first?.value else { return nil }
        return Mirror(reflecting: action).children.first?.value as? Data
    }
}
