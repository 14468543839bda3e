import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The snippets of the articles on running calls, errors, timeouts, redirects, cookies, certificates, activity,
// interceptors and observers.

enum CallExamples {
    static func run(_ network: NetworkSession, sku: String) async throws {
        let records = NetworkManager<RecordService.One>(network)
        let record = try await records.value(for: .fetch(sku: sku))

        let patient = try await records.value(for: .fetch(sku: sku)) { call in
            call.timeout = .seconds(90)
            call.headers["X-Till"] = "7"
        }

        let reply = try await records.reply(for: .fetch(sku: sku))
        print(reply.value.title, reply.response?.headers["ETag"] ?? "no version")

        show(record)
        show(patient)
    }

    static func task(_ records: NetworkManager<RecordService.One>, sku: String) {
        Task {
            do throws(InventoryError) {
                show(try await records.value(for: .fetch(sku: sku)))
            } catch {
                switch error {
                case .notFound: showMessage("There is no \(sku).")
                case .conflict, .network: showMessage("Try again.")
                }
            }
        }
    }

    static func completion(_ records: NetworkManager<RecordService.One>, sku: String) {
        let task = records.send(.fetch(sku: sku)) { result in
            switch result {
            case .success(let record): print(record.title)
            case .failure(let error): print(error)
            }
        }
        task.cancel()
    }

    static func data(_ records: NetworkManager<RecordService.One>, sku: String) -> URLSessionDataTask? {
        let dataTask = records.dataTask(for: .fetch(sku: sku)) { result in
            print((try? result.get().title) ?? "no record")
        }

        return dataTask
    }

    static func banner(_ records: NetworkManager<RecordService.One>, sku: String) async {
        let outcome = await records.outcome(of: .fetch(sku: sku))
        if let failure = outcome.failure, failure.isTransient {
            showMessage("You seem to be offline.")
        }
    }

    struct Repeating: NetworkClient {
        let client: any NetworkClient
        var session: NetworkSession? { client.session }

        func outcome<Request>(
            of outgoing: OutgoingRequest<Request>
        ) async -> NetworkOutcome<Request> {
            let outcome = await client.outcome(of: outgoing)
            guard outcome.failure?.response?.statusCode == 503 else {
                return outcome
            }
            return await client.outcome(of: outgoing)
        }

        func open<Request>(
            _ outgoing: OutgoingRequest<Request>
        ) async -> NetworkOpening {
            await client.open(outgoing)
        }
    }

    struct Inventory {
        let network: any NetworkClient

        func title(of sku: String) async throws(InventoryError) -> String {
            try await network.value(for: RecordService.One.fetch(sku: sku)).title
        }
    }

    static func errors(_ records: NetworkManager<RecordService.One>, sku: String) async {
        do {
            show(try await records.value(for: .fetch(sku: sku)))
        } catch {
            switch error {
            case .network(let failure) where failure.isCancelled: break
            case .network(let failure) where failure.isTransient:
                showMessage("Try again later. \(failure)")
            case .network(let failure) where failure.mayHaveReachedServer:
                showMessage("The outcome is unknown. \(failure)")
            case .notFound, .conflict, .network: showMessage("\(error)")
            }
        }
    }

    struct Limited: NetworkRequest {
        typealias ValueType = Data

        var path: RequestPath { "records" }
        // Not `var timeout`, which would be a property of its own.
        var options: RequestOptions {
            RequestOptions(timeout: .seconds(10), deadline: .seconds(30))
        }
    }

    struct Redirected: NetworkRequest {
        typealias ValueType = Data

        var path: RequestPath { "records" }
        var options: RequestOptions { RequestOptions(redirects: .sameOrigin()) }
    }

    static func clock() -> NetworkConfiguration {
        let clock = ManualClock()
        let configuration = NetworkConfiguration(
            environment: .production, clock: clock.networkClock)

        return configuration
    }

    static func cookies() -> NetworkConfiguration {
        let cookies = URLSessionConfiguration.ephemeral.httpCookieStorage
        let configuration = NetworkConfiguration(
            environment: .production, cookies: cookies)

        return configuration
    }

    struct Pinned: TLSPolicy {
        let certificates: Set<Data>

        func trusts(
            _ chain: [Data], of host: String, systemTrusts: Bool
        ) -> Bool {
            systemTrusts && chain.contains { certificates.contains($0) }
        }
    }

    static func pinned(_ pins: Set<Data>) -> NetworkConfiguration {
        let configuration = NetworkConfiguration(
            environment: .production,
            transport: URLSessionTransport(tls: Pinned(certificates: pins)))

        return configuration
    }

    private static func show(_ record: Record) {}
    private static func showMessage(_ message: String) {}
}

/// Shows an activity indicator.
@MainActor
private final class ActivityExample {
    final class Spinner {
        var isHidden = true
    }

    private let spinner = Spinner()

    func show(_ network: NetworkSession) async {
        for await count in network.activity { spinner.isHidden = count == 0 }
    }
}

struct Maintenance: NetworkInterceptor {
    func intercept(
        _ call: NetworkCall, next: NetworkCall.Next
    ) async throws(NetworkError) -> NetworkResponse {
        let response = try await next(call)
        guard response.headers["X-Maintenance"] != nil else {
            return response
        }
        throw .interceptor(
            NetworkError.InterceptorFailure(
                interceptor: "Maintenance",
                reason: "the store is closed; try again later",
                response: response))
    }
}

enum TicketKey: CallKey {
    typealias Value = UUID
}

struct TicketInterceptor: NetworkInterceptor {
    func intercept(
        _ call: NetworkCall, next: NetworkCall.Next
    ) async throws(NetworkError) -> NetworkResponse {
        var call = call
        call.headers["X-Ticket"] =
            call.shared(TicketKey.self) { UUID() }.uuidString
        return try await next(call)
    }
}

enum Priority: RequestOption { case low, high }

extension RequestOptions {
    var priority: Priority? {
        get { self[Priority.self] }
        set { self[Priority.self] = newValue }
    }
}

extension CallExamples {
    static func maintained() -> NetworkConfiguration {
        let configuration = NetworkConfiguration(
            environment: .production, interceptors: [Maintenance()])

        return configuration
    }
}
