import RecordKit

/// Runs one command against the stock that the settings name.
struct CommandRunner: Sendable {
    /// Where the stock is kept.
    enum Place: Equatable, Sendable {
        /// An embedded store in this file.
        case store(path: String)
        /// A Kinto server: scheme, host, port and base path, no slash at its end.
        case server(String)
    }

    let stock: Stock
    let place: Place
    /// Whether results are written as JSON.
    let printsJSON: Bool
    let console: Console

    func run(_ command: Command) async throws -> ExitCode {
        do {
            switch command {
            case .import(let command): return try await importFile(command)
            case .export(let file): return try await exportFile(file)
            case .add(let changes): try await add(changes)
            case .edit(let sku, let changes): try await edit(sku, changes)
            case .delete(let sku, let confirmed): return try await delete(sku, confirmed: confirmed)
            case .show(let sku): try await show(sku)
            case .list(let list): return try await self.list(list)
            case .sell(let sku, let count): try await sell(sku, count)
            case .restock(let sku, let count): try await restock(sku, count)
            }
            return .done
        } catch let error as InventoryError {
            // What is interrupted in the embedded store was not made.
            if case .unanswered(.cancelled, _) = error, case .store = place { throw CancellationError() }
            throw try CommandFailure(error)
        } catch let error as StockShortage {
            throw CommandFailure(.conflict, "\(error)")
        }
    }
}

extension CommandFailure {
    /// The exit code and the words for a failed request. Throws `CancellationError` for one that was interrupted.
    init(_ error: InventoryError) throws(CancellationError) {
        let exitCode: ExitCode
        switch error {
        case .notFound: exitCode = .notFound
        case .conflict, .crowded: exitCode = .conflict
        case .noShop, .notSignedIn, .notAllowed, .noLock(isChanged: false): exitCode = .notAllowed
        case .rateLimited, .heldBack: exitCode = .rateLimited
        case .unreadable, .refused, .noLock(isChanged: true): exitCode = .failed
        case .unanswered(let cause, _), .network(let cause):
            // The embedded store's own words: there is no network that could be to blame.
            if let failure = cause.cause as? EmbeddedStoreError {
                self.init(.failed, failure.description)
                return
            }
            switch (cause, error) {
            case (.cancelled, .unanswered): exitCode = .interrupted
            case (.cancelled, _): throw CancellationError()
            case (.connection, _), (.timedOut, _), (.badResponse, _), (_, .unanswered): exitCode = .network
            default: exitCode = .failed
            }
        }
        self.init(exitCode, error.description)
    }
}
