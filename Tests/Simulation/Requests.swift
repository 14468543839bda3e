import Foundation
import RecordKit
import RecordKitStreaming

/// The requests of a plan.
struct PlannedRequest: NetworkRequest, Planned {
    typealias ValueType = Data
    typealias ErrorType = NetworkError

    let call: Plan.Call
    let witness: Witness
    let content: (any NetworkEncodable & Sendable)?

    var index: Int { call.index }
    var baseURL: String { call.host == 0 ? "http://a.test" : "http://b.test" }
    var path: RequestPath { "item/\(call.resource)" }
    var method: HTTPMethod { [.get, .post, .put][call.method] }
    var headers: HTTPHeaders { ["X-Call": "\(call.index)"] }
    var body: (any NetworkEncodable)? { content }
    var options: RequestOptions {
        RequestOptions(timeout: .seconds(call.timeout), deadline: call.deadline.map { .seconds($0) })
    }
}

/// The requests for pages.
struct PageRequest: PagedRequest, Planned {
    typealias ValueType = [Int]
    typealias Item = Int
    typealias ErrorType = NetworkError

    let call: Plan.Call
    let witness: Witness

    var index: Int { call.index }
    var baseURL: String { call.host == 0 ? "http://a.test" : "http://b.test" }
    var path: RequestPath { "page/0" }
    var headers: HTTPHeaders { ["X-Call": "\(call.index)"] }
    var options: RequestOptions {
        RequestOptions(timeout: .seconds(call.timeout), deadline: call.deadline.map { .seconds($0) })
    }
}

/// The chunks of an upload, in time. It may fail.
struct Upload: AsyncSequence, AsyncIteratorProtocol, Sendable {
    struct Broken: Error {}

    let world: World
    let fails: Bool
    var left = 2

    func makeAsyncIterator() -> Upload { self }

    mutating func next() async throws -> Data? {
        if left == 0 {
            if fails { throw Broken() }
            return nil
        }
        left -= 1
        if await !world.pause(.event, .seconds(1)) { throw CancellationError() }
        return Data("chunk".utf8)
    }
}
