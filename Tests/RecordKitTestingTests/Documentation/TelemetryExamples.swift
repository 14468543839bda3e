import RecordKit
import RecordKitInterceptors
import RecordKitTelemetry

/// The listings of the page on telemetry.
private enum TelemetryExamples {
    static func configuration() -> NetworkConfiguration {
        let telemetry = TelemetryObserver(serviceName: "till")
        var configuration = NetworkConfiguration(environment: .production)
        configuration.interceptors = [
            RetryInterceptor(), TracingInterceptor(tracing: .begun(isSampled: true)),
        ]
        configuration.observers = [telemetry]
        return configuration
    }

    static func vendor(_ key: String) -> TelemetryObserver {
        var settings = TelemetrySettings()
        settings.endpoint = "https://otlp.vendor.example"
        settings.headers["X-API-Key"] = key
        let telemetry = TelemetryObserver(serviceName: "till", settings: settings)
        return telemetry
    }

    static func tool<Request: NetworkRequest>(
        _ network: NetworkSession, _ request: Request, _ telemetry: TelemetryObserver
    ) async -> Request.ResultType {
        let result = await network.result(for: request)
        if await !telemetry.flush(), let failure = telemetry.lastFailure {
            print("Telemetry: \(failure)")
        }
        return result
    }
}
