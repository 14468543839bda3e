import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Code that an app writes with delegate tasks. It needs them to read a body as it arrives, and to cancel a call on
/// Linux.
struct DelegateClient: ListingClient {
    private let session: URLSession
    private let transfers = Transfers()
    private let (list, record, uploads, file): (URL, URL, URL, URL)

    init(_ url: URL, _ configuration: URLSessionConfiguration) {
        session = URLSession(configuration: configuration, delegate: transfers, delegateQueue: nil)
        list = url.appending(path: "records")
        record = list.appending(path: "LP-0042")
        uploads = url.appending(path: "uploads")
        file = url.appending(path: "file")
    }

    func fetch() async throws -> Listing {
        try await value(of: session.dataTask(with: URLRequest(url: record)))
    }

    func fetchAll() async throws -> [Listing] {
        try await value(of: session.dataTask(with: URLRequest(url: list.appending(path: "all"))))
    }

    func create(_ listing: Listing) async throws -> Listing {
        try await value(of: session.dataTask(with: .post(listing, to: list)))
    }

    func upload(_ file: URL) async throws {
        let (data, response) = try await transfers.run(session.uploadTask(with: .upload(to: uploads), fromFile: file))
        _ = try data.ofSuccess(response)
    }

    func download(to target: URL) async throws {
        let part = target.appendingPathExtension("part")
        try Data().write(to: part)
        let handle = try FileHandle(forWritingTo: part)
        let (data, response) = try await transfers.run(session.dataTask(with: URLRequest(url: file)), to: handle)
        _ = try data.ofSuccess(response)
        try handle.close()
        try FileManager.default.replace(target, by: part)
    }

    private func value<Value: Decodable>(of task: URLSessionTask) async throws -> Value {
        let (data, response) = try await transfers.run(task)
        return try JSONDecoder().decode(Value.self, from: data.ofSuccess(response))
    }
}

private final class Transfers: NSObject, URLSessionDataDelegate, Sendable {
    private struct Transfer {
        let continuation: CheckedContinuation<(Data, URLResponse?), any Error>
        /// The file that the body is written to, in place of `body`.
        let file: FileHandle?
        var response: URLResponse?
        var body = Data()
    }

    private let transfers = Mutex<[Int: Transfer]>([:])

    func run(_ task: URLSessionTask, to file: FileHandle? = nil) async throws -> (Data, URLResponse?) {
        try await withCheckedThrowingContinuation { continuation in
            transfers.withLock { $0[task.taskIdentifier] = Transfer(continuation: continuation, file: file) }
            task.resume()
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        transfers.withLock { $0[dataTask.taskIdentifier]?.response = response }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let file = transfers.withLock { transfers in
            let file = transfers[dataTask.taskIdentifier]?.file
            if file == nil { transfers[dataTask.taskIdentifier]?.body.append(data) }
            return file
        }
        do {
            try file?.write(contentsOf: data)
        } catch {
            transfers.withLock { $0.removeValue(forKey: dataTask.taskIdentifier) }?.continuation.resume(throwing: error)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let transfer = transfers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error {
            transfer.continuation.resume(throwing: error)
        } else {
            transfer.continuation.resume(returning: (transfer.body, transfer.response))
        }
    }
}
