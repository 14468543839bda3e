import Foundation
@testable import RecordKitSigning
import RecordKitStructuredFields

/// Checks challenges and structured fields. An item that was read is written so that it is read as the same item.
enum ChallengeFuzzing {
    static func check(_ text: String) {
        _ = AuthenticationChallenge.parse([text])
        _ = ContentDigest.comparison(of: text, with: Data())
        _ = StructuredField.list(text)
        guard let item = StructuredField.item(text), let written = item.serialized else { return }
        if StructuredField.item(written) != item { violation("an item is read as it was written", text, written) }
    }
}
