public import Foundation
public import RecordKit

/// A stored response without its body, and what a cache needs of the request.
public struct CacheEntry: Sendable {
    /// The identifier of the entry and its body. An entry that replaces another one has a new identifier. It fits in a
    /// signed integer.
    public let id: UInt64
    /// The key that the entry is found by.
    public let key: CacheKey
    /// The request fields that `Vary` names, normalized. Of the entries with one key and variant, a store keeps the
    /// newest.
    public let variant: Variant
    /// The status of the response.
    public let statusCode: Int
    /// The header fields of the response. They may be sensitive: a store on disk keeps ``encoded()``.
    public let headers: HTTPHeaders
    /// The date at which the request was sent.
    public let requested: Date
    /// The date at which the response was received.
    public let received: Date
    /// The length of the body in bytes.
    public let bodyLength: Int

    /// The request fields that `Vary` names, normalized.
    public struct Variant: Hashable, Sendable {
        /// The fields as a string, which a store on disk keeps as a hash.
        public let text: String
    }

    /// The number of variants that a store keeps of a key. Further ones replace the least recently used ones.
    public static let variantLimit = 32

    let selectors: [Selector]
    /// Parsed once, since an entry is used many times.
    let freshness: Freshness

    init(
        id: UInt64 = UInt64.random(in: 1...UInt64(Int64.max)), key: CacheKey, statusCode: Int, headers: HTTPHeaders,
        requested: Date, received: Date, bodyLength: Int, selectors: [Selector]
    ) {
        self.id = id
        self.key = key
        variant = Variant(
            text: selectors.map { "\($0.name):\($0.value ?? "\n")" }.joined(separator: "\n"))
        self.statusCode = statusCode
        self.headers = headers
        self.requested = requested
        self.received = received
        self.bodyLength = bodyLength
        self.selectors = selectors
        freshness = Freshness(status: statusCode, headers: headers, requested: requested, received: received)
    }

    /// The size of the entry and its body in memory, in bytes, as it counts toward the limit of a store. It includes
    /// what keeping them costs.
    public var size: Int {
        let selected = selectors.reduce(0) { $0 + Self.fieldCost + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) }
        let texts = variant.text.utf8.count + 2 * key.url.text.utf8.count + key.credentials.utf8.count
        return headers.reduce(Self.cost + bodyLength + selected + texts) {
            $0 + Self.fieldCost + $1.name.utf8.count + $1.value.utf8.count
        }
    }

    /// The bytes that an entry takes beside its texts: the values, the tables that it is found by, and the blocks of
    /// its strings and its body. From the memory that 100,000 small entries took on Linux.
    private static let cost = 500
    /// The bytes that a field takes beside its texts.
    private static let fieldCost = 100

    /// The entity tag, if any.
    var entityTag: String? { headers["ETag"] }

    /// The date of the last change as the server sent it, if any.
    var lastModified: String? { headers["Last-Modified"] }

    /// Returns whether a request has the fields that the response depends on.
    func matches(_ request: HTTPHeaders) -> Bool {
        selectors.allSatisfy { $0.matches(request) }
    }

    /// Returns whether the entry may be used for a request although it is stale, within a number of seconds.
    func allowsStale(_ seconds: Double, at now: Date) -> Bool {
        !freshness.needsValidation && !freshness.forbidsStale && freshness.staleness(at: now) <= seconds
    }
}

extension CacheEntry {
    private struct Coded: Codable {
        var status: Int
        var fields: [[String]]
        var requested: Date
        var received: Date
        var length: Int
        var selectors: [Selector]
    }

    /// Returns the entry as data, without its key and without sensitive header fields, such as `Set-Cookie`.
    ///
    /// A store on disk keeps this data. The format may change with a new version of the library.
    ///
    /// - Throws: An `EncodingError` if a URL in another field contains a credential, such as a `Location` with a token.
    ///   The response must not be stored then: it would be another one without it.
    public func encoded() throws(EncodingError) -> Data {
        if let name = nameOfFieldWithCredential {
            throw .invalidValue(
                name, EncodingError.Context(codingPath: [], debugDescription: "the field contains a credential"))
        }
        let coded = Coded(
            status: statusCode, fields: headers.filter { !headers.isSensitive($0) }.map { [$0.name, $0.value] },
            requested: requested, received: received, length: bodyLength, selectors: selectors)
        do {
            return try JSONEncoder().encode(coded)
        } catch {
            throw .invalidValue(
                coded, EncodingError.Context(codingPath: [], debugDescription: "\(error)", underlyingError: error))
        }
    }

    /// The name of a field whose URL contains a credential: of the response, or of the request if `Vary` names it.
    private var nameOfFieldWithCredential: String? {
        var headers = headers
        for selector in selectors { headers.add(selector.name, selector.value ?? "") }
        let redacted = headers.redacted()
        return zip(headers, redacted).first { $0.value != $1.value && !headers.isSensitive($0) }?.0.name
    }

    /// Creates an entry from its data.
    ///
    /// - Parameters:
    ///   - data: The data that ``encoded()`` returned.
    ///   - id: The identifier of the entry.
    ///   - key: The key of the entry.
    /// - Throws: A `DecodingError` if the data isn't valid.
    public init(_ data: Data, id: UInt64, key: CacheKey) throws(DecodingError) {
        // A file may be damaged or made by someone else.
        guard let coded = try? JSONDecoder().decode(Coded.self, from: data), (200...999).contains(coded.status),
            (0...1 << 40).contains(coded.length),
            [coded.requested.timeIntervalSince1970, coded.received.timeIntervalSince1970]
                .allSatisfy({ $0.isFinite && abs($0) < 1e12 })
        else {
            throw .dataCorrupted(
                DecodingError.Context(
                    codingPath: [], debugDescription: "the data isn't that of an entry, or a number is out of range"))
        }
        self.init(
            id: id, key: key, statusCode: coded.status,
            headers: HTTPHeaders(
                coded.fields.filter { $0.count == 2 }.map { HTTPHeaders.Field(name: $0[0], value: $0[1]) }),
            requested: coded.requested, received: coded.received, bodyLength: coded.length,
            selectors: coded.selectors)
    }
}

extension CacheEntry: CustomStringConvertible, CustomReflectable {
    /// The status, the size and the redacted URL.
    public var description: String { "\(statusCode), \(bodyLength) bytes, from \(key)" }

    /// The status, the redacted header fields and the redacted URL.
    public var customMirror: Mirror {
        Mirror(self, children: ["statusCode": statusCode, "headers": headers, "key": key, "bodyLength": bodyLength])
    }
}
