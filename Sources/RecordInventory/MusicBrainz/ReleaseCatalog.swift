import Foundation
import RecordKit
import RecordKitCache
import RecordKitCacheDisk
import RecordKitInterceptors

/// Looks up releases at MusicBrainz.
///
/// Keeps its rules: one request a second, a `User-Agent` with a contact, and a pause when it asks for one. What was
/// found is kept on the disk, so that the same question takes no request.
struct ReleaseCatalog: Sendable {
    /// Where to ask, and where to keep what was found.
    struct Place: Equatable, Sendable {
        static let address = "https://musicbrainz.org/ws/2"

        var address = Self.address
        /// `nil` keeps nothing.
        var folder: String?
    }

    private let network: NetworkSession
    private let store: DiskCacheStore?

    /// - Parameters:
    ///   - transport: The transport that sends requests.
    ///   - timeout: How long to wait for the server.
    init(_ place: Place, over transport: any NetworkTransport, timeout: Duration = .seconds(30)) {
        let folder = place.folder.map { URL(filePath: $0) }
        store = folder.map { DiskCacheStore(folder: $0, limit: 32 << 20) }
        var transport: any NetworkTransport = SharedPace(
            transport: transport, file: folder?.appending(path: "next-request"))
        // A stored response waits for no turn, so the cache is around the pace.
        if let store { transport = HTTPCache(store: store).transport(transport) }
        network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment(place.address), transport: transport,
                interceptors: [RetryInterceptor(backoff: Backoff(longestWait: .seconds(10)))],
                // The form that MusicBrainz asks for.
                headers: ["User-Agent": "record-inventory/\(Project.version) ( \(Project.address) )"],
                options: RequestOptions(
                    timeout: timeout, deadline: timeout * 2, expectedType: "application/json")))
    }

    /// Returns the releases that a query finds, the best first.
    ///
    /// - Parameter isFresh: Whether to ask the server although the response is stored.
    func releases(_ query: ReleaseQuery, limit: Int, isFresh: Bool = false) async throws(LookupError) -> [Release] {
        let list = try await network.value(for: ReleaseSearch(wanted: query, limit: limit)) {
            // MusicBrainz does not say how long a response may be used, and releases seldom change.
            $0.options.cache = isFresh ? .reload : .cacheFirst
        }
        // Responses are stored in the background, and the process may end now.
        await store?.flush()
        return list.releases
    }
}
