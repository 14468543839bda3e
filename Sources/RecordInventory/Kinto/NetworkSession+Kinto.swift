import RecordKitJSON
import RecordKit
import RecordKitStreaming

/// Requests to a Kinto server, or to the embedded store. Its configuration has the server as its environment:
/// `http://127.0.0.1:8888/v1`.
extension NetworkSession {
    /// Returns `nil` if the object or the shop does not exist.
    func found<Request: InventoryEndpoint>(
        _ request: Request
    ) async throws(InventoryError) -> Request.ValueType? {
        try await result(for: request).found()
    }

    /// Creates an object, if it does not exist.
    func create(_ path: RequestPath, _ data: JSONValue = [:]) async throws(InventoryError) {
        do {
            try await value(for: Write(path: path, data: data, headers: .ifNew))
        } catch {
            guard case .conflict = error else { throw error }
        }
    }

    /// Creates an object, if it does not exist. In another account's bucket, the account may still be allowed to create
    /// the collection of the records, or to write a lock where it may not create one. A later request reports it if
    /// not.
    func createIfAllowed(_ path: RequestPath) async throws(InventoryError) {
        do {
            try await create(path)
        } catch {
            guard case .noShop = error else { throw error }
        }
    }

    /// Passes the pages of a list to `body`, until the end or until `body` returns false.
    func eachPage<Request: PagedRequest>(
        of request: Request, _ body: (Request.ValueType) async throws -> Bool
    ) async throws {
        for try await page in NetworkManager(self).pages(for: request) {
            guard try await body(page.reply.value) else { return }
        }
    }

    /// Returns all objects of a list. There are none if the list or the shop does not exist.
    func all<Object: JSONReadable & Sendable>(_ list: List<ObjectPage<Object>>) async throws -> [Object] {
        var objects: [Object] = []
        do {
            try await eachPage(of: list) { page in
                objects += page.items
                return true
            }
        } catch InventoryError.noShop {
            return []
        }
        return objects
    }
}

extension Result where Failure == InventoryError {
    /// Returns `nil` if the object or the shop does not exist.
    func found() throws(InventoryError) -> Success? {
        switch self {
        case .success(let value): return value
        case .failure(.notFound), .failure(.noShop): return nil
        case .failure(let error): throw error
        }
    }
}
