/// The numbers that other places know a record by.
struct ExternalIDs: Hashable, Sendable, Decodable {
    var discogsListing: Int?
    var discogsRelease: Int?

    var isEmpty: Bool { discogsListing == nil && discogsRelease == nil }

    enum CodingKeys: String, CodingKey {
        case discogsListing = "discogs_listing"
        case discogsRelease = "discogs_release"
    }
}
