public import Foundation
public import RecordKit

// The snippet on property lists, which needs public imports.

extension PropertyListDecoder: NetworkDecoder {
    public var contentType: String { "application/x-plist" }
}
