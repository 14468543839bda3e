import Foundation

extension Data {
    /// A text in UTF-8. Foundation's initializer for sequences of bytes is a generic one, of 4 KB.
    init(text: String) {
        var text = text
        self = text.withUTF8 { Data(buffer: $0) }
    }
}
