import CCurl
import RecordKit

/// A transport on libcurl.
public final class CurlTransport: Sendable {
    /// The version of the libcurl that this process uses, such as `7.88.1`.
    public static var version: String {
        String(cString: ccurl_version().pointee.version)
    }
}
