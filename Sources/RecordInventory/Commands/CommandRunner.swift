import Foundation
import RecordKit

/// Runs one command against the stock that the settings name.
struct CommandRunner: Sendable {
    let stock: Stock
    let options: GlobalOptions
    let console: Console

    static func run(
        _ command: Command, _ options: GlobalOptions, _ settings: Settings, _ console: Console
    ) async throws -> ExitCode {
        let network = try NetworkConfiguration(settings, console)
        let stock = Stock(network, bucket: settings.bucket)
        return try await CommandRunner(stock: stock, options: options, console: console).run(command)
    }

    func run(_ command: Command) async throws -> ExitCode {
        do {
            switch command {
            case .import(let command): return try await importFile(command)
            case .export(let file): try await exportFile(file)
            case .add(let changes): try await add(changes)
            case .edit(let sku, let changes): try await edit(sku, changes)
            case .delete(let sku, let confirmed): return try await delete(sku, confirmed: confirmed)
            case .show(let sku): try await show(sku)
            case .list(let list): try await self.list(list)
            case .sell(let sku, let count): try await sell(sku, count)
            case .restock(let sku, let count): try await restock(sku, count)
            }
            return .done
        } catch let error as InventoryError {
            throw try CommandFailure(error)
        } catch let error as StockShortage {
            throw CommandFailure(.conflict, "\(error)")
        }
    }
}

extension CommandFailure {
    /// The exit code and the words for a failed request. Throws `CancellationError` for one that was interrupted.
    init(_ error: InventoryError) throws(CancellationError) {
        let exitCode: ExitCode =
            switch error {
            case .notFound: .notFound
            case .conflict: .conflict
            case .notSignedIn, .notAllowed: .notAllowed
            case .rateLimited: .rateLimited
            case .refused: .failed
            case .network(.cancelled): throw CancellationError()
            case .network(let error) where error.cause is EmbeddedStoreError: .failed
            case .network(.connection), .network(.timedOut): .network
            case .network: .failed
            }
        self.init(exitCode, error.description)
    }
}
