public import Foundation
public import RecordKit

/// A transport that responds to each request from a file named after its case, for a backend that doesn't exist yet.
///
/// ```swift
/// let network = NetworkSession(
///     NetworkConfiguration(
///         environment: .production, transport: MockFolder("Mocks", in: .main)))
/// ```
///
/// The request `RecordService.One.fetch` gets the content of `RecordService.One.fetch.json` with the status 200,
/// whatever its arguments. To change the status and add header fields, write a file
/// `RecordService.One.fetch.response.json`:
///
/// ```json
/// {"status": 404, "headers": {"Retry-After": "3"}}
/// ```
///
/// Both members are optional. With that file, the file with the body may be missing, and the body is empty. Use
/// `{"status": 204}` for a deletion, for example.
///
/// Files are read at each call, so they can be changed while the app runs.
public struct MockFolder: NetworkTransport {
    /// The folder with the files.
    public let folder: URL

    /// Creates a transport that reads from a folder.
    ///
    /// - Parameter folder: The folder with the files.
    public init(_ folder: URL) {
        self.folder = folder
    }

    /// Creates a transport that reads from a folder in a bundle.
    ///
    /// Keep it as a folder: `.copy("Mocks")` in a package, a folder reference in Xcode.
    ///
    /// - Parameters:
    ///   - name: The name of the folder.
    ///   - bundle: The bundle.
    public init(_ name: String, in bundle: Bundle) {
        folder = (bundle.resourceURL ?? bundle.bundleURL).appending(path: name)
    }

    /// Responds to a call from the file of its request.
    ///
    /// - Throws: `NetworkError.interceptor(_:)` with a ``StubError`` as its cause.
    public func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let response: StubResponse
        do {
            response = try self.response(for: call.name)
        } catch {
            throw .unexpected(error, by: "MockFolder")
        }
        return try await response.response(to: call)
    }

    private struct Head: Decodable {
        var status: Int?
        var headers: [String: String]?
    }

    private func response(for name: String) throws(StubError) -> StubResponse {
        let head = try contents("\(name).response.json").map { data, file throws(StubError) in
            do {
                return try JSONDecoder().decode(Head.self, from: data)
            } catch {
                let reason = "write it like {\"status\": 404, \"headers\": {\"Name\": \"value\"}}"
                throw .unreadableFile(file, reason: reason)
            }
        }
        let body = try contents("\(name).json").map { data, file throws(StubError) in
            if !data.isEmpty, (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) == nil {
                throw .unreadableFile(file, reason: "it doesn't contain valid JSON")
            }
            return data
        }
        if head == nil, body == nil { throw .missingFile("\(name).json", folder: folder.path) }
        var headers = HTTPHeaders(head?.headers ?? [:])
        if body != nil, !headers.contains("Content-Type") { headers["Content-Type"] = "application/json" }
        return .status(head?.status ?? 200, headers: headers, body: body ?? Data())
    }

    /// Returns the content and the path of a file, or `nil` if there is none.
    private func contents(_ name: String) throws(StubError) -> (Data, file: String)? {
        let file = folder.appending(path: name)
        do {
            return (try StubFile.contents(of: file), file.path)
        } catch {
            if case .missingFile = error { return nil }
            throw error
        }
    }
}
