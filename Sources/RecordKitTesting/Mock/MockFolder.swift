public import Foundation
public import RecordKit

/// A backend that is not there yet: answers every request from a file named for its case.
///
/// ```swift
/// let network = NetworkConfiguration(environment: .production, transport: MockFolder("Mocks", in: .main))
/// ```
///
/// `RecordService.One.fetch` is answered with what `RecordService.One.fetch.json` holds, as a 200, whatever its
/// arguments. Another status, and headers, stand beside it in `RecordService.One.fetch.response.json`:
///
/// ```json
/// {"status": 404, "headers": {"Retry-After": "3"}}
/// ```
///
/// Both members may be left out. With that file, the one with the body may be missing, and the body is empty: for a
/// deletion, `{"status": 204}`.
///
/// Files are read at each call, so that they can be changed while the app runs.
public struct MockFolder: NetworkTransport {
    /// Where the files are.
    public let folder: URL

    public init(_ folder: URL) {
        self.folder = folder
    }

    /// A folder in a bundle, kept as a folder: `.copy("Mocks")` in a package, a folder reference in Xcode.
    public init(_ name: String, in bundle: Bundle) {
        folder = (bundle.resourceURL ?? bundle.bundleURL).appending(path: name)
    }

    /// - Throws: `NetworkError.interceptor` with a ``MockError`` as its cause.
    public func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let answer: StubAnswer
        do {
            answer = try self.answer(for: call.name)
        } catch {
            throw .unexpected(error, by: "MockFolder")
        }
        return try await answer.response(to: call)
    }

    private struct Head: Decodable {
        var status: Int?
        var headers: [String: String]?
    }

    private func answer(for name: String) throws(MockError) -> StubAnswer {
        let head = try contents("\(name).response.json").map { data, file throws(MockError) in
            do {
                return try JSONDecoder().decode(Head.self, from: data)
            } catch {
                throw .unreadable(file: file, reason: "it is no {\"status\": 404, \"headers\": {\"Name\": \"value\"}}")
            }
        }
        let body = try contents("\(name).json").map { data, file throws(MockError) in
            if !data.isEmpty, (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) == nil {
                throw .unreadable(file: file, reason: "it holds no JSON")
            }
            return data
        }
        if head == nil, body == nil { throw .missing(request: name, file: "\(name).json", folder: folder.path) }
        var headers = HTTPHeaders((head?.headers ?? [:]).sorted { $0.key < $1.key }.map { .init(name: $0, value: $1) })
        if body != nil, !headers.contains("Content-Type") { headers["Content-Type"] = "application/json" }
        return .status(head?.status ?? 200, headers: headers, body: body ?? Data())
    }

    /// What a file holds, and where it is; nil when there is none.
    private func contents(_ name: String) throws(MockError) -> (Data, file: String)? {
        do {
            let file = folder.appending(path: name)
            return (try StubFile.contents(of: file), file.path)
        } catch {
            switch error {
            case .unreadableFile(let file, let reason): throw .unreadable(file: file, reason: reason)
            default: return nil
            }
        }
    }
}

/// Why a ``MockFolder`` could not answer.
public enum MockError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// There is no file for this request.
    case missing(request: String, file: String, folder: String)
    /// The file is there and cannot be used.
    case unreadable(file: String, reason: String)

    public var description: String {
        switch self {
        case .missing(let request, let file, let folder):
            "There is no \(file) in \(folder) to answer \(request) with. Put it there."
        case .unreadable(let file, let reason):
            "The file \(file) cannot be used: \(reason)."
        }
    }

    public var errorDescription: String? { description }
}
