import Foundation
import RecordKit
import RecordKitStreaming

// The snippets of the article on downloads and uploads.

struct Backup: NetworkRequest {
    typealias ValueType = Data
    typealias ErrorType = InventoryError

    var path: RequestPath { "backups/latest" }
}

enum DownloadExamples {
    static func store(_ network: NetworkSession, _ folder: URL) async throws {
        let target = folder.appending(path: "backup.zip")
        let file = try await network.download(Backup(), to: target)
        print(file.size, file.response.headers["ETag"] ?? "no version")
    }

    static func progress(_ network: NetworkSession, _ target: URL) async throws -> URL {
        let file = try await network.download(Backup(), to: target) { progress in
            print("\(progress.bytes) of \(progress.total ?? 0) bytes")
        }
        return file.file
    }

    static func bound(_ network: NetworkSession, _ target: URL) async throws -> URL {
        let progress = Progress(totalUnitCount: -1)
        let file = try await network.download(
            Backup(), to: target, onProgress: progress.update)
        return file.file
    }

    static func checksum(_ network: NetworkSession, _ target: URL, _ digits: String) async throws -> URL {
        let file = try await network.download(
            Backup(), to: target, checksum: .sha256(digits))
        return file.file
    }

    static func resume(_ network: NetworkSession, _ target: URL) async throws {
        let file = try await network.download(Backup(), to: target)
        print("\(file.resumedBytes) bytes were there already")
    }

    static func errors(_ network: NetworkSession, _ target: URL) async {
        do throws(InventoryError) {
            show(try await network.download(Backup(), to: target).file)
        } catch {
            switch error {
            case .network(.file(let failure)) where failure.reason == .noSpace:
                showMessage("The disk is full.")
            case .network(.file(let failure)) where failure.reason == .inUse:
                showMessage("It is on its way.")
            case .notFound, .conflict, .network: showMessage("\(error)")
            }
        }
    }

    private static func show(_ file: URL) {}
    private static func showMessage(_ message: String) {}
}
