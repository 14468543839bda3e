import RecordKit

/// What the tool says of itself to servers.
enum Project {
    /// `Scripts/release` names the files in which the owner is still to be filled in.
    static let address = "https://github.com/OWNER/RecordKit"
    /// The tool and the library are released together.
    static let version = NetworkConfiguration.libraryVersion
    /// The tool, with an address at which operators of servers reach its authors.
    static let userAgent = "record-inventory/\(version) (+\(address))"
}
