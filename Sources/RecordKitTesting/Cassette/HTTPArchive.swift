import Foundation
import RecordKit

/// Recorded traffic in the format HAR 1.2, as browsers export it and a ``Cassette`` writes it.
///
/// Writes everything that the format requires. Reads only what a cassette needs, so that differences between browsers
/// don't matter. The rest is only `Encodable`, or left out of `init(from:)`.
struct HTTPArchive: Encodable {
    var log: Log

    struct Log: Encodable {
        var version = "1.2"
        var creator = ["name": "RecordKit", "version": "0.1"]
        var entries: [Entry]
    }

    struct Entry: Codable {
        @Written var startedDateTime: String?
        /// The duration in milliseconds.
        @Written var time: Double?
        var request: Request
        /// Missing if the request was blocked or still in progress.
        var response: Response?
        @Written var cache: [String: String]? = [:]
        /// Durations in milliseconds.
        @Written var timings: [String: Double]?
    }

    struct NameAndValue: Codable {
        var name: String
        var value: String?
    }

    struct Request: Codable {
        var method: String
        var url: String
        @Written var httpVersion: String? = "HTTP/1.1"
        @Written var cookies: [NameAndValue]? = []
        @Written var headers: [NameAndValue]?
        @Written var queryString: [NameAndValue]?
        var postData: PostData?
        @Written var headersSize: Int? = -1
        @Written var bodySize: Int?
    }

    struct PostData: Codable {
        var mimeType: String?
        var text: String?
        /// In the place of `text`.
        var params: [NameAndValue]?
        /// `base64` for a body that isn't text. Not part of HAR, which has no member for it.
        var _encoding: String?
    }

    struct Response: Codable {
        /// Zero, negative or missing if there was no response.
        var status: Int? = 0
        @Written var statusText: String? = ""
        @Written var httpVersion: String? = ""
        @Written var cookies: [NameAndValue]? = []
        var headers: [NameAndValue]? = []
        var content: Content? = Content(size: 0, mimeType: "x-unknown")
        @Written var redirectURL: String? = ""
        @Written var headersSize: Int? = -1
        @Written var bodySize: Int? = -1
        /// The URL after redirects. Not part of HAR.
        var _url: String?
        /// The reason why there was no response. Not part of HAR.
        var _error: String?
        /// The kind of that failure. Not part of HAR.
        var _failure: String?
        /// Whether the request may have reached the server, which matters for a retry. Not part of HAR.
        var _mayHaveReachedServer: Bool?
    }

    struct Content: Codable {
        var size: Double?
        var mimeType: String?
        var text: String?
        /// `base64`, or missing for text.
        var encoding: String?
        /// The name of a file with the body, instead of `text`. Not part of HAR.
        var _file: String?
    }

    /// A member that the format requires, and no cassette reads.
    @propertyWrapper
    struct Written<Value: Encodable & Sendable>: Codable, Sendable {
        var wrappedValue: Value?

        init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
        init(from decoder: any Decoder) {}
        func encode(to encoder: any Encoder) throws { try wrappedValue?.encode(to: encoder) }
    }
}

extension KeyedDecodingContainer {
    func decode<Value>(
        _ type: HTTPArchive.Written<Value>.Type, forKey key: Key
    ) -> HTTPArchive.Written<Value> { HTTPArchive.Written(wrappedValue: nil) }
}

extension HTTPArchive {
    private struct Reading: Decodable {
        struct Log: Decodable {
            let entries: [Attempt]
        }

        /// Entries are decoded one by one, so that an invalid one doesn't make the others unreadable.
        struct Attempt: Decodable {
            let entry: Result<Entry, any Error>

            init(from decoder: any Decoder) {
                entry = Result { try Entry(from: decoder) }
            }
        }

        let log: Log
    }

    /// Returns the entries of an archive, or why each can't be read.
    static func entries(in data: Data) throws -> [Result<Entry, any Error>] {
        let mark = Data([0xEF, 0xBB, 0xBF])
        let text = data.starts(with: mark) ? data.dropFirst(3) : data
        return try JSONDecoder().decode(Reading.self, from: text).log.entries.map(\.entry)
    }

    /// Returns the archive as JSON, with a line for each member, the same for the same archive.
    func text() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}
