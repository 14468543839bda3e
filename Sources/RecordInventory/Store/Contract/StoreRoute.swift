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
        let names = Array(segments.dropFirst(2))
        let isBucket = names.first == "buckets"
        let isCollection = isBucket && names.count > 2 && names[2] == "collections"
        self =
            switch names.count {
            case 0: .server
            case 1 where names[0] == "batch": .batch
            case 1 where names[0] == "check": .check
            case 2 where isBucket: .object(.buckets, id: names[1])
            case 3 where isCollection: .list(.collections(bucket: names[1]))
            case 4 where isCollection: .object(.collections(bucket: names[1]), id: names[3])
            case 5 where isCollection && names[4] == "sums": .sums(.records(bucket: names[1], collection: names[3]))
            case 5 where isCollection && names[4] == "records": .list(.records(bucket: names[1], collection: names[3]))
            case 6 where isCollection && names[4] == "records":
                .object(.records(bucket: names[1], collection: names[3]), id: names[5])
            default: throw .unknownPath
            }
    }
}
