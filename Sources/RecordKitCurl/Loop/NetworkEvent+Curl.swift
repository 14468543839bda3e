import CCurl
public import RecordKit

extension NetworkEvent.Kind {
    /// The name of the host was resolved, for a new connection.
    public static let nameResolved = NetworkEvent.Kind(rawValue: "nameResolved")
    /// A connection was opened, without the time for its name and for TLS.
    public static let connected = NetworkEvent.Kind(rawValue: "connected")
    /// A new connection was secured with TLS.
    public static let secured = NetworkEvent.Kind(rawValue: "secured")
    /// The first byte of the response arrived. The time starts when the request is sent.
    ///
    /// The detail says the protocol, and whether the connection was used before.
    public static let firstByte = NetworkEvent.Kind(rawValue: "firstByte")
}

extension EasyHandle {
    /// Reports the times of a transfer whose head has arrived to the observers of its call.
    func reportTimes(of call: NetworkCall, since start: Duration) {
        let isReused = number(CURLINFO_NUM_CONNECTS) == 0
        var last = Duration.zero
        func report(_ kind: NetworkEvent.Kind, until end: Duration, _ detail: @autoclosure () -> String) {
            guard end > last else { return }
            let begin = last
            last = end
            call.report(
                NetworkEvent(
                    kind, start: start + begin, duration: end - begin, attempt: call.attempt, detail: detail()))
        }
        if !isReused {
            report(.nameResolved, until: time(CURLINFO_NAMELOOKUP_TIME_T), "name resolved")
            report(.connected, until: time(CURLINFO_CONNECT_TIME_T), "connected")
            report(.secured, until: time(CURLINFO_APPCONNECT_TIME_T), "TLS")
        }
        last = max(last, time(CURLINFO_PRETRANSFER_TIME_T))
        report(
            .firstByte, until: time(CURLINFO_STARTTRANSFER_TIME_T),
            "first byte, \(version), \(isReused ? "kept" : "new") connection")
    }

    private var version: String {
        switch number(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
        case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
        case Int(CURL_HTTP_VERSION_3): "HTTP/3"
        default: "HTTP/1.1"
        }
    }
}
