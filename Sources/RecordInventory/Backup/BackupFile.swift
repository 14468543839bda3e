import Foundation
import RecordKit

/// The backup of one shop as a text file: a line of JSON for each object, between a line that says what it is and one with
/// the number of objects and the SHA-256 of all lines before.
///
/// ```
/// {"backup":"record-inventory","version":1,"shop":"shop"}
/// {"path":"collections","object":{"id":"records","last_modified":17952…}}
/// {"path":"collections/records/records","object":{"id":"LP-1",…}}
/// {"objects":2,"sha-256":"…"}
/// ```
enum BackupFile {
    private static let name = "record-inventory"
    private static let version: Int64 = 1

    /// Writes a shop.
    static func write(_ shop: String, of copy: ShopCopy, to path: String) throws {
        let file = try OutputFile(path)
        var digest = MessageDigest(.sha256)
        func write(_ line: JSONValue) throws {
            let bytes = JSONWriter.bytes(line) + [UInt8.lineFeed]
            digest.update(Data(bytes))
            try file.write(bytes)
        }
        try write(["backup": .string(name), "version": .integer(version), "shop": .string(shop)])
        var count = 0
        let lists =
            [ListPath.collections(bucket: shop)]
            + (try copy.collections(of: shop)).map { ListPath.records(bucket: shop, collection: $0) }
        for list in lists {
            let path = list.path.dropFirst("/buckets/\(shop)/".count)
            try copy.eachObject(in: list) { object in
                guard let json = try? JSONReader.read(object.json) else { return }
                try write(["path": .string(String(path)), "object": json])
                count += 1
            }
        }
        try file.write(JSONWriter.bytes(["objects": JSONValue(count), "sha-256": .string(digest.hexadecimal)]))
        try file.write([.lineFeed])
        try file.finish()
    }

    /// Reads a file of either kind to its end, and checks it.
    ///
    /// - Parameter shop: The name that the shop of a text file gets. A store keeps the names of its shops.
    static func read(_ path: String, as shop: String) throws -> ShopCopy {
        guard let file = Descriptor(opening: path, O_RDONLY) else {
            throw FileError(path: path, action: .read, code: errno)
        }
        var start: [UInt8] = []
        guard file.read(16, into: &start) != nil else { throw FileError(path: path, action: .read, code: errno) }
        if start.starts(with: "SQLite format 3".utf8) {
            do {
                return ShopCopy(try StoreFile.temporary(copying: path))
            } catch let error as SQLiteError {
                guard case .damaged = EmbeddedStoreError(error) else { throw EmbeddedStoreError(error) }
                throw DamagedBackup(path: path, reason: error.message)
            }
        }
        // A file without lines may have no end, as a device has none.
        guard start.first == UInt8(ascii: "{") else { throw DamagedBackup(path: path, reason: "this is no backup") }
        let copy = try ShopCopy()
        var reader = Reader(copy: copy, shop: shop)
        do {
            try copy.database.transaction(.write) {
                var rest = start
                var chunk: [UInt8] = []
                repeat {
                    var lines = rest[...]
                    while let end = lines.firstIndex(of: .lineFeed) {
                        try reader.add(Array(lines[..<end]))
                        lines = lines[(end + 1)...]
                    }
                    rest = Array(lines)
                    chunk.removeAll(keepingCapacity: true)
                    guard file.read(65_536, into: &chunk) != nil else {
                        throw FileError(path: path, action: .read, code: errno)
                    }
                    try Task.checkCancellation()
                    rest += chunk
                } while !chunk.isEmpty
                try reader.finish(rest)
            }
        } catch let error as Reader.Fault {
            throw DamagedBackup(path: path, reason: "line \(reader.line): \(error.reason)")
        }
        return copy
    }

    /// Puts the lines of a text file into a copy.
    private struct Reader {
        let copy: ShopCopy
        let shop: String
        private(set) var line = 0
        private var count: Int64 = 0
        private var digest = MessageDigest(.sha256)
        private var isAtEnd = false

        struct Fault: Error {
            let reason: String
        }

        init(copy: ShopCopy, shop: String) {
            self.copy = copy
            self.shop = shop
        }

        mutating func add(_ bytes: [UInt8]) throws {
            line += 1
            guard let members = try? JSONReader.read(bytes).object else {
                throw Fault(reason: line == 1 ? "this is no backup" : "it cannot be read")
            }
            if line == 1 {
                guard members["backup"] == .string(BackupFile.name) else { throw Fault(reason: "this is no backup") }
                guard members["version"] == .integer(BackupFile.version) else {
                    throw Fault(reason: "a later version of record-inventory wrote it: install that one")
                }
                try copy.put(JSONObject([JSONObject.Member(name: "id", value: .string(shop))]), in: .buckets)
            } else if let object = members["object"]?.object {
                do {
                    try copy.put(object, in: try path(members["path"]?.string ?? ""))
                } catch is ShopCopy.ForeignObject {
                    throw Fault(reason: "its object has no id, or no collection")
                }
                count += 1
            } else {
                guard !isAtEnd, members["objects"] == .integer(count),
                    members["sha-256"] == .string(digest.hexadecimal)
                else { throw Fault(reason: "the lines before are not those that were written") }
                isAtEnd = true
                return
            }
            guard !isAtEnd else { throw Fault(reason: "it follows the end") }
            digest.update(Data(bytes))
            digest.update(Data([.lineFeed]))
        }

        /// - Parameter rest: What follows the last line.
        func finish(_ rest: [UInt8]) throws {
            guard isAtEnd, rest.isEmpty else { throw Fault(reason: "the end is missing") }
        }

        private func path(_ text: String) throws(Fault) -> ListPath {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard parts.first == "collections", parts.count == 1 || (parts.count == 3 && parts[2] == "records") else {
                throw Fault(reason: "it has no known path")
            }
            return parts.count == 1
                ? .collections(bucket: shop) : .records(bucket: shop, collection: parts[1])
        }
    }
}

/// A backup that cannot be restored as a whole.
struct DamagedBackup: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String {
        "the backup \(path.printable) is damaged (\(reason)), so nothing was restored: take another one"
    }
}
