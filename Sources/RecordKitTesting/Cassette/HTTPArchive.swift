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
        var creator = Creator()
        var entries: [Entry]
    }

    struct Creator: Encodable {
        var name = "RecordKit"
        var version = "0.1"
    }

    struct Entry: Codable {
        var startedDateTime: String?
        /// The duration in milliseconds.
        var time: Double?
        var request: Request
        /// Missing if the request was blocked or still in progress.
        var response: Response?
        var cache: Cache?
        var timings: Timings?
    }

    struct Cache: Encodable {}

    /// Durations in milliseconds.
    struct Timings: Encodable {
        var send = 0.0
        var wait: Double
        var receive = 0.0
    }

    struct NameAndValue: Codable {
        var name: String
        var value: String?
    }

    struct Request: Codable {
        var method: String
        var url: String
        var httpVersion: String?
        var cookies: [NameAndValue]?
        var headers: [NameAndValue]?
        var queryString: [NameAndValue]?
        var postData: PostData?
        var headersSize: Int?
        var bodySize: Int?
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
        var status: Int?
        var statusText: String?
        var httpVersion: String?
        var cookies: [NameAndValue]?
        var headers: [NameAndValue]?
        var content: Content?
        var redirectURL: String?
        var headersSize: Int?
        var bodySize: Int?
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
        var size: Int?
        var mimeType: String?
        var text: String?
        /// `base64`, or missing for text.
        var encoding: String?
        /// The name of a file with the body, instead of `text`. Not part of HAR.
        var _file: String?
    }
}

extension HTTPArchive.Entry {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        request = try members.decode(HTTPArchive.Request.self, forKey: .request)
        response = try members.decodeIfPresent(HTTPArchive.Response.self, forKey: .response)
    }
}

extension HTTPArchive.Request {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        method = try members.decode(String.self, forKey: .method)
        url = try members.decode(String.self, forKey: .url)
        postData = try members.decodeIfPresent(HTTPArchive.PostData.self, forKey: .postData)
    }
}

extension HTTPArchive.Response {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        status = try members.decodeIfPresent(Int.self, forKey: .status)
        headers = try members.decodeIfPresent([HTTPArchive.NameAndValue].self, forKey: .headers)
        content = try members.decodeIfPresent(HTTPArchive.Content.self, forKey: .content)
        _url = try members.decodeIfPresent(String.self, forKey: ._url)
        _error = try members.decodeIfPresent(String.self, forKey: ._error)
        _failure = try members.decodeIfPresent(String.self, forKey: ._failure)
        _mayHaveReachedServer = try members.decodeIfPresent(Bool.self, forKey: ._mayHaveReachedServer)
    }
}

extension HTTPArchive.Content {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        size = try? members.decodeIfPresent(Int.self, forKey: .size)
        mimeType = try members.decodeIfPresent(String.self, forKey: .mimeType)
        text = try members.decodeIfPresent(String.self, forKey: .text)
        _file = try members.decodeIfPresent(String.self, forKey: ._file)
        encoding = try members.decodeIfPresent(String.self, forKey: .encoding)
    }
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
