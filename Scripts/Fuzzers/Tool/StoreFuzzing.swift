import Foundation
import RecordKit

#if !FUZZER
@testable import RecordInventory
#endif

/// Checks requests to the embedded store, separated by an empty line. A request is a line of method, target and
/// optionally a media type or an entity tag, then the body. No response is a server error.
enum StoreFuzzing {
    static func check(_ bytes: [UInt8]) {
        do {
            let service = StoreService(table: ObjectTable(try StoreFile.empty()))
            let record = #"{"data":{"a":1,"s":"x","n":null,"l":[1,"y"],"o":{"k":2.5}}}"#
            let shop = "/v1/buckets/b/collections/c"
            for (path, body) in [("/v1/buckets/b", ""), (shop, ""), ("\(shop)/records/r", record)] {
                _ = try service.respond(to: request("PUT", path, "application/json", Array(body.utf8)))
            }
            for part in parts(of: bytes) {
                let lines = part.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
                let words = String(decoding: lines[0], as: UTF8.self).split(separator: " ", maxSplits: 2)
                guard words.count > 1 else { continue }
                let answer = try service.respond(
                    to: request(
                        String(words[0]), String(words[1]), words.count > 2 ? String(words[2]) : "application/json",
                        lines.count > 1 ? Array(lines[1]) : []))
                if answer.status >= 500 {
                    violation("the store answers", String(decoding: part, as: UTF8.self), "\(answer.status)")
                }
            }
        } catch {
            violation("the store's database does not fail", String(decoding: bytes, as: UTF8.self), "\(error)")
        }
    }

    private static func parts(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while let end = rest.indices.dropLast().first(where: { rest[$0] == 10 && rest[$0 + 1] == 10 }) {
            parts.append(rest[..<end])
            rest = rest[(end + 2)...]
        }
        return parts + [rest]
    }

    private static func request(_ method: String, _ target: String, _ word: String, _ body: [UInt8]) -> StoreRequest {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let isType = word.contains("/")
        return StoreRequest(
            method: HTTPMethod(rawValue: method), path: parts.first ?? "", query: parts.dropFirst().first,
            headers: isType ? ["Content-Type": word] : ["Content-Type": "application/json", "If-Match": word],
            body: .bytes(Data(body)))
    }
}
