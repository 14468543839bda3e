import Foundation
import RecordKit
import Synchronization

/// Sends calls on, and keeps the file up to date with what came of them.
final class CassetteRecorder: Sendable {
    private let file: URL
    private let transport: any NetworkTransport
    private let redaction: Redaction
    /// In the order in which they were sent; nil while one is under way.
    private let entries = Mutex<[HTTPArchive.Entry?]>([])

    init(_ file: URL, through transport: any NetworkTransport, _ redaction: Redaction) throws(CassetteError) {
        self.file = file
        self.transport = transport
        self.redaction = redaction
        try Self.write([], to: file)
    }

    func send(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        var call = call
        // What is written down has to be there as a whole.
        call.delivery = .buffered
        var body = Data()
        do throws(InvalidRequest) {
            call.body = try await call.body?.spooled()
            body = try await call.body?.data() ?? Data()
        } catch {
            throw .invalidRequest(error)
        }
        let index = entries.withLock { entries in
            entries.append(nil)
            return entries.count - 1
        }
        let (date, start) = (call.clock.date(), call.clock.now())
        let outcome: Result<NetworkResponse, NetworkError>
        do throws(NetworkError) {
            outcome = .success(try await transport.send(call))
        } catch {
            outcome = .failure(error)
        }
        let entry = HTTPArchive.Entry(
            call, body: body, outcome, start: date, duration: call.clock.now() - start,
            redaction.adding(call.headers.secretNames))
        do throws(CassetteError) {
            try add(entry, at: index)
        } catch {
            throw .unexpected(error, by: "Cassette")
        }
        return try outcome.get()
    }

    private func add(_ entry: HTTPArchive.Entry, at index: Int) throws(CassetteError) {
        // Written with the lock held, so that no older state comes last.
        let result = entries.withLock { entries -> Result<Void, CassetteError> in
            entries[index] = entry
            do throws(CassetteError) {
                return .success(try Self.write(entries.compactMap(\.self), to: file))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private static func write(_ entries: [HTTPArchive.Entry], to file: URL) throws(CassetteError) {
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            let archive = HTTPArchive(
                log: HTTPArchive.Log(version: "1.2", creator: HTTPArchive.Creator(), entries: entries))
            try archive.text().write(to: file, options: .atomic)
        } catch {
            throw .unwritable(file: file.path, reason: error.localizedDescription)
        }
    }
}
