import Foundation
import RecordKit

extension NetworkBytes {
    /// Its pieces as texts, and at last the error that it ends with.
    func texts() async -> [String] {
        var texts: [String] = []
        do {
            for try await piece in self { texts.append(String(decoding: piece, as: UTF8.self)) }
        } catch {
            texts.append("\(error)")
        }
        return texts
    }
}
