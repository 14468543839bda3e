import RecordKit

extension Console: NetworkLog {
    func write(_ message: String, at level: LogLevel) {
        detail(message)
    }
}
