import RecordKit
import RecordKitInterceptors

extension Console: NetworkLog {
    func write(_ message: String, at level: LogLevel) {
        detail(message)
    }
}
