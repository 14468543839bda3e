import Foundation
import XCTest

@testable import RecordInventory

// Which answer a request gets that deserves two.
extension StoreContract {
    func checkPrecedence() async throws {
        let records = try await records("precedence")
        let (item, none) = ("\(records)/a", "\(records)/none")
        let made = try await send("PUT", item, "{}")
        made.expect(201)
        let stale = ["If-Match": "\"12\""]
        let seen = ["If-None-Match": made.etag ?? ""]

        // What has not changed comes before what has.
        for target in [item, records] {
            try await send("GET", target, nil, stale.merging(seen) { $1 }).expect(304, target)
        }
        // A list's parameters, and a body, come before every condition.
        for query in ["_limit=x", "_since=x"] {
            for headers in [stale, seen] {
                try await send("GET", "\(records)?\(query)", nil, headers).expect(400, errno: 107, query)
            }
        }
        for target in [item, none] {
            try await send("PUT", target, "{bad", stale).expect(400, errno: 107, target)
            try await send("PATCH", target, "{bad", stale).expect(400, errno: 107, target)
        }
        // What cannot be done to the object comes after them, and after its absence.
        try await send("PATCH", item, "{}", stale).expect(412, errno: 114)
        try await send("DELETE", "\(item)?last_modified=x", nil, stale).expect(412, errno: 114)
        try await send("DELETE", "\(none)?last_modified=x").expect(404, errno: 110)
        try await send("GET", item).expect(200)
    }
}
