import RecordKit
import RecordKitStreaming

// The snippets of the article on large JSON arrays.

enum AllRecords: NetworkRequest {
    typealias ValueType = [Record]
    typealias ErrorType = InventoryError

    case all
    case search(title: String)
    case changes

    var path: RequestPath {
        switch self {
        case .all: "records"
        case .search: "search"
        case .changes: "records/changes"
        }
    }

    var query: RequestQuery {
        switch self {
        case .all, .changes: [:]
        case .search(let title): ["title": title]
        }
    }
}

enum StreamingJSONExamples {
    static func all(_ network: NetworkSession) async throws(InventoryError) {
        for try await record in network.elements(for: AllRecords.all) {
            save(record)
        }
    }

    static func search(_ network: NetworkSession) async throws(InventoryError) {
        for try await record in network.elements(
            for: AllRecords.search(title: "Blue"), at: "results.items")
        {
            save(record)
        }
    }

    static func changes(_ network: NetworkSession) async throws(InventoryError) {
        for try await record in network.elements(for: AllRecords.changes) {
            save(record)
        }
    }

    static func firstSoldOut(_ network: NetworkSession) async throws(InventoryError) -> Record? {
        let changes = network.elements(
            for: AllRecords.changes, format: .lines
        ) { call in
            call.headers["Accept"] = "application/x-ndjson"
        }
        let first = try await changes.first { $0.quantity == 0 }
        return first
    }

    static func messages(_ network: NetworkSession) async {
        do {
            for try await record in network.elements(for: AllRecords.all) {
                save(record)
            }
        } catch {
            switch error {
            case .network(.decoding(let failure)): showMessage("\(failure)")
            case .network(.tooLarge): showMessage("A record is too large.")
            case .notFound, .conflict, .network: showMessage("\(error)")
            }
        }
    }

    private static func save(_ record: Record) {}
    private static func showMessage(_ message: String) {}
}
