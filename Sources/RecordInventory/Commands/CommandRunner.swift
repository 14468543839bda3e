import Foundation
import RecordKit

/// Runs commands on a stock.
struct CommandRunner: Sendable {
    /// The place of the stock.
    enum Place: Equatable, Sendable {
        /// An embedded store in a file.
        case store(path: String)
        /// A Kinto server: scheme, host, port and base path, without a slash at the end.
        case server(String)
    }

    var stock: Stock
    let place: Place
    /// Whether to print results as JSON.
    let printsJSON: Bool
    let console: Console
    /// Whether a dry run lists each row and field.
    var showsDetails = false

    var isDryRun: Bool { stock.isDryRun }

    func run(_ command: Command) async throws -> ExitCode {
        var runner = self
        let console = console
        runner.stock.notice = { console.note($0) }
        return try await runner.perform(command)
    }

    private func perform(_ command: Command) async throws -> ExitCode {
        try checkStore(for: command)
        do {
            switch command {
            case .import(let command): return try await importFile(command)
            case .export(let file, let forSpreadsheet):
                return try await exportFile(file, forSpreadsheet: forSpreadsheet)
            case .add(let changes): try await add(changes)
            case .edit(let sku, let changes): try await edit(sku, changes)
            case .delete(let sku, let confirmed): return try await delete(sku, confirmed: confirmed)
            case .show(let sku): try await show(sku)
            case .list(let list): return try await self.list(list)
            case .move(let move): try await self.move(move)
            case .undo(let id, let reason): try await undo(id, reason)
            case .reserve(let sku, let reserve): try await self.reserve(sku, reserve)
            case .reservations: return try await reservations()
            case .release(let sku, let name, let id): try await release(sku, name, id)
            case .count(let sku, let count, let reason): try await self.count(sku, count, reason)
            case .countShelf(let location, let confirmed, let reason):
                return try await countShelf(location, confirmed, reason)
            case .history(let history): return try await self.history(history)
            case .report(let report): return try await self.report(report)
            case .doctor: return try await doctor()
            case .till(let payment, let sellsDrafts): return try await till(payment, sellsDrafts: sellsDrafts)
            }
            return .done
        } catch let error as InventoryError {
            // In the embedded store, an interrupted change was not made.
            switch (error, place) {
            case (.unanswered(.cancelled, _), .store), (.notMade(.cancelled), .store): throw CancellationError()
            default: break
            }
            throw try CommandFailure(error)
        } catch let error as StockShortage {
            throw CommandFailure(.conflict, "\(error)")
        } catch let error as AmbiguousBarcode {
            try printRecords(error.records)
            throw error.failure
        }
    }

    /// Throws if there is no store, unless the command creates it. A mistyped name must not look like an empty stock.
    private func checkStore(for command: Command) throws {
        guard case .store(let path) = place, !StoreFile.exists(URL(storePath: path)) else { return }
        switch command {
        case .import, .add: return
        default: throw CommandFailure(.notFound, "no store at \(path); import or add creates it")
        }
    }
}

extension CommandFailure {
    /// Chooses the exit code and message for a failed request. Throws `CancellationError` if the request was
    /// interrupted.
    init(_ error: InventoryError) throws(CancellationError) {
        let exitCode: ExitCode
        switch error {
        case .notFound: exitCode = .notFound
        case .conflict, .crowded, .superseded, .alreadyMade: exitCode = .conflict
        case .partlyMade: exitCode = .partlyDone
        case .noShop, .notSignedIn, .notAllowed, .noLock(isChanged: false), .noLedger(isChanged: false):
            exitCode = .notAllowed
        case .rateLimited, .heldBack: exitCode = .rateLimited
        case .unreadable, .unreadableMovement, .refused, .noLock(isChanged: true), .noLedger(isChanged: true):
            exitCode = .failed
        case .unanswered(let cause, _), .notMade(let cause), .network(let cause):
            // The store's own message: no network is involved.
            if let failure = cause.cause as? EmbeddedStoreError {
                self.init(.failed, failure.description)
                return
            }
            switch (cause, error) {
            case (.cancelled, .unanswered), (.cancelled, .notMade): exitCode = .interrupted
            case (.cancelled, _): throw CancellationError()
            case (.connection, _), (.timedOut, _), (.badResponse, _), (_, .unanswered), (_, .notMade):
                exitCode = .network
            default: exitCode = .failed
            }
        }
        self.init(exitCode, error.description)
    }
}
