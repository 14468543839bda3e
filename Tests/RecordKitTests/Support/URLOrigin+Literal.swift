import Foundation
public import RecordKit

extension URLOrigin: ExpressibleByStringInterpolation {
    /// Creates the origin of a URL, or of a host that uses http.
    public init(stringLiteral text: String) {
        let address = text.contains("://") ? text : "http://\(text)"
        self.init(URL(string: address) ?? URL(filePath: "/"))
    }
}
