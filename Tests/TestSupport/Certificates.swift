#if os(Linux)
public import Foundation

/// Valid and invalid certificates for servers on `localhost`, created with the system's openssl.
public struct Certificates: Sendable {
    /// The kinds of certificate that a server presents.
    public enum Kind: String, CaseIterable, Sendable {
        case good, expired, future, otherHost, selfSigned
    }

    public let folder: URL
    /// The system's trusted certificates, and the authority that signed these.
    public var bundle: URL { folder.appending(path: "bundle.pem") }

    /// The authority that signed these certificates.
    public var authority: URL { folder.appending(path: "ca.pem") }
    /// The SHA-256 hash of the public key of the good certificate, in Base64.
    public var pin: String {
        get throws { String(try String(contentsOf: folder.appending(path: "good.pin"), encoding: .utf8).prefix(44)) }
    }

    public func certificate(_ kind: Kind) -> URL { folder.appending(path: "\(kind.rawValue).pem") }
    public func key(_ kind: Kind) -> URL { folder.appending(path: "\(kind.rawValue).key") }

    public init(in folder: URL) { self.folder = folder }

    /// The certificates of this process, which are removed when it ends.
    public static let shared: Result<Certificates, any Error> = Result {
        atexit { if let made = try? Certificates.shared.get() { try? FileManager.default.removeItem(at: made.folder) } }
        return try make(in: FileManager.default.temporaryDirectory.appending(path: "RecordKit-\(UUID())"))
    }

    public static func make(in folder: URL) throws -> Certificates {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try run(script, in: folder)
        return Certificates(in: folder)
    }

    /// Runs a script of the system's shell in a folder.
    public static func run(_ script: String, in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-eu", "-c", script]
        process.currentDirectoryURL = folder
        process.standardError = FileHandle(forWritingAtPath: "/dev/null")
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }

    private static let script = """
        cat > ca.conf <<END
        [ca]
        default_ca = authority
        [authority]
        dir = .
        new_certs_dir = .
        database = index.txt
        serial = serial
        default_md = sha256
        policy = any
        copy_extensions = copy
        unique_subject = no
        [any]
        commonName = supplied
        END
        : > index.txt
        echo 1000 > serial
        key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
        openssl req -x509 $key -keyout ca.key -out ca.pem -days 2 -subj '/CN=Authority of a test' \
            -addext basicConstraints=critical,CA:true
        sign() {
            openssl req $key -keyout $1.key -out $1.csr -subj "/CN=$2" -addext "subjectAltName=DNS:$2"
            openssl ca -batch -config ca.conf -cert ca.pem -keyfile ca.key -in $1.csr -out $1.pem -notext \
                -startdate $3 -enddate $4
        }
        sign good localhost 20200101000000Z 20900101000000Z
        sign expired localhost 20200101000000Z 20200102000000Z
        sign future localhost 20890101000000Z 20900101000000Z
        sign otherHost other.example 20200101000000Z 20900101000000Z
        openssl req -x509 $key -keyout selfSigned.key -out selfSigned.pem -days 2 -subj /CN=localhost \
            -addext subjectAltName=DNS:localhost
        openssl x509 -in good.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary |
            openssl base64 > good.pin
        cat /etc/ssl/certs/ca-certificates.crt ca.pem > bundle.pem
        """
}

/// A server that speaks TLS, using the system's openssl.
public final class TLSServer {
    public let port: Int
    private let process = Process()

    public init(_ kind: Certificates.Kind, of certificates: Certificates, options: [String] = []) throws {
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificates.certificate(kind).path,
                "-key", certificates.key(kind).path,
            ] + options
        process.standardOutput = pipe
        process.standardError = FileHandle(forWritingAtPath: "/dev/null")
        process.standardInput = FileHandle(forReadingAtPath: "/dev/null")
        try process.run()
        var text = ""
        while !text.hasSuffix("\n") || !text.contains("ACCEPT") {
            let bytes = pipe.fileHandleForReading.availableData
            if bytes.isEmpty { throw CocoaError(.fileReadUnknown) }
            text += String(decoding: bytes, as: UTF8.self)
        }
        guard let number = text.split(whereSeparator: { ": \n".contains($0) }).last, let port = Int(number) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        self.port = port
    }

    deinit {
        // The process inherits the blocked signals of a pool's thread. SIGKILL cannot be blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
#endif
