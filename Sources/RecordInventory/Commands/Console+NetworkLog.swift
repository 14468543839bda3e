import RecordKit

extension Console: NetworkLog {
    func write(_ message: String, _ level: LogLevel) {
        detail(message)
    }
}
