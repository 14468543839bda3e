import Foundation
import RecordKit

/// Recorded traffic in the format HAR 1.2, as browsers export it and as a ``Cassette`` writes it.
///
/// What the format requires is written always. What nobody here needs is not read, so that no browser's habits matter:
/// what is only `Encodable`, and what an `init(from:)` leaves out.
struct HTTPArchive: Codable {
    var log: Log

    struct Log: Codable {
        var version: String?
        var creator: Creator?
        /// `nil` for an entry that could not be read.
        var entries: [Entry?]
        /// Why the entries that are `nil` could not be read, in their order.
        var faults: [any Error] = []

        private enum CodingKeys: CodingKey {
            case version, creator, entries
        }
    }

    struct Creator: Encodable {
        var name = "RecordKit"
        var version = "0.1"
    }

    struct Entry: Codable {
        var startedDateTime: String?
        /// In milliseconds.
        var time: Double?
        var request: Request
        /// Not there for what was still under way, or blocked.
        var response: Response?
        var cache: Cache?
        var timings: Timings?
    }

    struct Cache: Encodable {}

    /// In milliseconds.
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
        /// `base64` for what is no text; not of the standard, which has no place for that.
        var _encoding: String?
    }

    struct Response: Codable {
        /// Zero, less, or nothing when there was none.
        var status: Int?
        var statusText: String?
        var httpVersion: String?
        var cookies: [NameAndValue]?
        var headers: [NameAndValue]?
        var content: Content?
        var redirectURL: String?
        var headersSize: Int?
        var bodySize: Int?
        /// Where the answer came from, when redirects led there; not of the standard.
        var _url: String?
        /// Why there was no answer; not of the standard.
        var _error: String?
        /// What kind of failure that was; not of the standard.
        var _failure: String?
        /// Whether the request may have been seen all the same, so that a retry thinks twice; not of the standard.
        var _mayHaveReachedServer: Bool?
    }

    struct Content: Codable {
        var size: Int?
        var mimeType: String?
        var text: String?
        /// `base64`, or nothing for text.
        var encoding: String?
        /// In the place of `text`, a file beside the archive; not of the standard.
        var _file: String?
    }
}

extension HTTPArchive.Log {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        entries = []
        // One by one: of what a browser writes, an odd entry must not make all others unreadable.
        for entry in try members.decode([AttemptedEntry].self, forKey: .entries).map(\.result) {
            if case .failure(let error) = entry { faults.append(error) }
            entries.append(try? entry.get())
        }
    }

    private struct AttemptedEntry: Decodable {
        let result: Result<HTTPArchive.Entry, any Error>

        init(from decoder: any Decoder) {
            result = Result { try HTTPArchive.Entry(from: decoder) }
        }
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
    init(_ data: Data) throws {
        let mark = Data([0xEF, 0xBB, 0xBF])
        self = try JSONDecoder().decode(HTTPArchive.self, from: data.starts(with: mark) ? data.dropFirst(3) : data)
    }

    /// The same text for the same archive, a line for each member.
    func text() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}
