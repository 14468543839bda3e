import CCurl
import Foundation

/// The libcurl that this process uses.
enum CurlLibrary {
    /// Whether libcurl could be initialized. The first use initializes it, once for the process.
    static let isReady = {
        guard curl_global_init(3) == CURLE_OK else { return false }
        CurlThread.registerExit()
        return true
    }()

    static var version: String { String(cString: ccurl_version().pointee.version) }

    /// The version as a number, such as 0x075801 for 7.88.1.
    static let versionNumber = Int(ccurl_version().pointee.version_num)

    /// Whether libcurl calls a function before it sends a request. It does so since 7.80.
    static let reportsSending = versionNumber >= 0x07_50_00

    /// Whether libcurl fails if a connection ends within a body of unknown length over HTTP/2. 7.74 takes the body for
    /// complete, 7.76 doesn't.
    static let noticesCutBodiesOverHTTP2 = versionNumber >= 0x07_4C_00

    /// The features that a transport may need, with their bits in `CURL_VERSION_…`.
    enum Feature: Int32 {
        case tls = 2
        case unixSockets = 19
        case http2 = 16
        case httpsProxy = 21
    }

    static func has(_ feature: Feature) -> Bool {
        features & (1 << feature.rawValue) != 0
    }

    /// Whether the file with the system's trusted authorities exists, which libcurl was built with.
    static let hasBundle =
        ccurl_bundle().map { FileManager.default.isReadableFile(atPath: String(cString: $0)) } ?? false

    /// libcurl puts this together again each time it is asked.
    private static let features = ccurl_version().pointee.features
}
