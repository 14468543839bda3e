import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Code that an app writes without a library: URLSession's own `async` functions and a JSONDecoder.
///
/// It creates its URLs beforehand, so that it does as little as possible. It is never cancelled, because on Linux that
/// may end the process.
struct RawClient: ListingClient {
    private let session: URLSession
    private let (list, record, uploads, file): (URL, URL, URL, URL)

    init(_ url: URL, _ configuration: URLSessionConfiguration) {
        session = URLSession(configuration: configuration)
        list = url.appending(path: "records")
        record = list.appending(path: "LP-0042")
        uploads = url.appending(path: "uploads")
        file = url.appending(path: "file")
    }

    func fetch() async throws -> Listing {
        try await value(for: URLRequest(url: record))
    }

    func fetchAll() async throws -> [Listing] {
        try await value(for: URLRequest(url: list.appending(path: "all")))
    }

    func create(_ listing: Listing) async throws -> Listing {
        try await value(for: .post(listing, to: list))
    }

    func upload(_ file: URL) async throws {
        let (data, response) = try await session.upload(for: .upload(to: uploads), fromFile: file)
        _ = try data.ofSuccess(response)
    }

    func download(to target: URL) async throws {
        let (temporary, response) = try await session.download(for: URLRequest(url: file))
        _ = try Data().ofSuccess(response)
        try FileManager.default.replace(target, by: temporary)
    }

    private func value<Value: Decodable>(for request: URLRequest) async throws -> Value {
        let (data, response) = try await session.data(for: request)
        return try JSONDecoder().decode(Value.self, from: data.ofSuccess(response))
    }
}

extension FileManager {
    /// Moves a file to a place where another one may be.
    func replace(_ target: URL, by file: URL) throws {
        if fileExists(atPath: target.path) { try removeItem(at: target) }
        try moveItem(at: file, to: target)
    }
}

extension URLRequest {
    static func post(_ listing: Listing, to url: URL) throws -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(listing)
        return request
    }

    static func upload(to url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        return request
    }
}

extension Data {
    /// Returns the body of a 2xx response.
    func ofSuccess(_ response: URLResponse?) throws -> Data {
        guard let response = response as? HTTPURLResponse, (200..<300).contains(response.statusCode) else {
            throw WrongAnswer("no success: \(String(describing: response))")
        }
        return self
    }
}
