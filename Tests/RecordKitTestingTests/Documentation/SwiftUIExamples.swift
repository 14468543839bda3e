import Observation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(SwiftUI)
import SwiftUI
#endif

// The snippets of the page on SwiftUI. Linux has no SwiftUI, so only the model is compiled there.

@MainActor
@Observable
final class RecordModel {
    private(set) var record: Record?
    private(set) var error: InventoryError?
    private(set) var isLoading = false
    private let network: any NetworkClient

    init(_ network: any NetworkClient) {
        self.network = network
    }

    func load(sku: String) async {
        isLoading = true
        // The next call may have begun when a cancelled one ends.
        defer { if !Task.isCancelled { isLoading = false } }
        do {
            record = try await network.value(
                for: RecordService.One.fetch(sku: sku))
            error = nil
        } catch {
            if !Task.isCancelled { self.error = error }
        }
    }
}

enum LoadError: NetworkFailure {
    case notFound
    case network(NetworkError)

    init(_ error: NetworkError) {
        self = error.response?.statusCode == 404 ? .notFound : .network(error)
    }

    var errorDescription: String? {
        switch self {
        case .notFound: "This record is no longer for sale."
        case .network(let failure) where failure.isTransient:
            "The shop can't be reached. Try again in a moment."
        case .network: "Something is wrong with the shop. We look into it."
        }
    }
}

extension RecordModel {
    static func preview(_ response: StubResponse) -> RecordModel {
        let stub = StubServer()
        stub.respond(to: "GET /records/*", with: response)
        return RecordModel(NetworkSession(stub.configuration))
    }
}

#if canImport(SwiftUI)
struct RecordView: View {
    let sku: String
    @State var model: RecordModel

    var body: some View {
        VStack {
            if let record = model.record { Text(record.title) }
            if model.isLoading { ProgressView() }
            if let error = model.error {
                Text(error.localizedDescription)
            }
        }
        .task(id: sku) { await model.load(sku: sku) }
        .refreshable { await model.load(sku: sku) }
    }
}

#Preview("A record") {
    RecordView(
        sku: "LP-0042",
        model: .preview(
            .json(#"{"sku": "LP-0042", "title": "Blue", "quantity": 3}"#)))
}
#Preview("Not found") {
    RecordView(sku: "LP-0042", model: .preview(.status(404)))
}
#Preview("Loading") {
    RecordView(sku: "LP-0042", model: .preview(.never))
}
#endif

final class SwiftUIExampleTests: TimedTestCase {
    @MainActor
    func testTheModelLoadsAndShowsErrors() async {
        let model = RecordModel.preview(.json(#"{"sku": "LP-0042", "title": "Blue", "quantity": 3}"#))
        await model.load(sku: "LP-0042")
        XCTAssertEqual(model.record?.title, "Blue")
        XCTAssertNil(model.error)
        XCTAssertFalse(model.isLoading)

        let missing = RecordModel.preview(.status(404))
        await missing.load(sku: "LP-0042")
        XCTAssertEqual(missing.error?.localizedDescription, "Not found.")
        XCTAssertFalse(missing.isLoading)
    }

    @MainActor
    func testACancelledCallIsNoErrorToShow() async {
        let model = RecordModel.preview(.never)
        let loading = Task { await model.load(sku: "LP-0042") }
        while !model.isLoading { await Task.yield() }
        loading.cancel()
        await loading.value
        XCTAssertNil(model.error)
        XCTAssertNil(model.record)
    }

    func testTheErrorHasWordsOfItsOwn() {
        XCTAssertEqual(LoadError.notFound.localizedDescription, "This record is no longer for sale.")
    }
}
