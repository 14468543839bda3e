import Foundation
public import RecordKit

extension Origin: ExpressibleByStringInterpolation {
    /// The origin of an address, or of a host that is reached by http.
    public init(stringLiteral text: String) {
        let address = text.contains("://") ? text : "http://\(text)"
        self.init(URL(string: address) ?? URL(filePath: "/"))
    }
}
