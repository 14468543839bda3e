import Foundation

/// The target of a path.
enum StoreRoute: Equatable, Sendable {
    case server
    case batch
    /// The check of the file. Kinto has no such path.
    case check
    /// The sums of the movements in a list. Kinto has no such path.
    case sums(ListPath)
    case list(ListPath)
    case object(ListPath, id: String)

    static let prefix = "/v1"

    /// - Parameter path: The percent-encoded path. A slash at its end is ignored.
    init(path: String) throws(StoreRefusal) {
        guard let decoded = path.utf8.contains(UInt8(ascii: "%")) ? path.removingPercentEncoding : path else {
            throw .invalid("the path is not UTF-8")
        }
        // `Character` is slow, and a batch has many paths.
        var segments = decoded.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        while segments.last == "" { segments.removeLast() }
        guard segments.starts(with: ["", "v1"]) else { throw .unknownPath }
        self =
            switch segments.count {
            case 2: .server
            case 3 where segments[2] == "batch": .batch
            case 3 where segments[2] == "check": .check
            case 4 where segments[2] == "buckets": .object(.buckets, id: segments[3])
            case 5... where segments[2] == "buckets" && segments[4] == "collections":
                try Self.inside(bucket: segments[3], segments[5...])
            default: throw .unknownPath
            }
    }

    private static func inside(bucket: String, _ rest: ArraySlice<String>) throws(StoreRefusal) -> StoreRoute {
        let rest = Array(rest)
        switch rest.count {
        case 0: return .list(.collections(bucket: bucket))
        case 1: return .object(.collections(bucket: bucket), id: rest[0])
        case 2 where rest[1] == "sums": return .sums(.records(bucket: bucket, collection: rest[0]))
        case 2 where rest[1] == "records": return .list(.records(bucket: bucket, collection: rest[0]))
        case 3 where rest[1] == "records":
            return .object(.records(bucket: bucket, collection: rest[0]), id: rest[2])
        default: throw .unknownPath
        }
    }
}
