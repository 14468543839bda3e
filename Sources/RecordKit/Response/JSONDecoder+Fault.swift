import Foundation

extension JSONDecoder {
    /// Returns why bytes could not be decoded, as part of a sentence.
    ///
    /// JSONDecoder (Swift 6.3.1) throws the same error, without a coding path, for bytes that aren't JSON and for
    /// numbers that don't fit.
    static func fault(in body: Data) -> String {
        struct Anything: Decodable {
            init(from decoder: any Decoder) {}
        }
        if (try? JSONDecoder().decode(Anything.self, from: body)) != nil {
            return "a value in it doesn't fit its type, such as a number with a fraction, or one that is too large"
        }
        do {
            _ = try JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)
        } catch let error as NSError where "\(error.userInfo)".contains("Unexpected end of file") {
            return "its JSON ends early"
        } catch {}
        return "it is not JSON"
    }

    /// Returns the error of a date that isn't ISO 8601 with the coding path of the date.
    ///
    /// JSONDecoder (Swift 6.3.1) gives the path of the object or array around it. So the value is decoded once more.
    func located<Value: Decodable>(_ error: any Error, decoding type: Value.Type, from body: Data) -> any Error {
        guard case .iso8601 = dateDecodingStrategy, case DecodingError.dataCorrupted(let context) = error,
            context.debugDescription.contains("ISO8601")
        else { return error }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = keyDecodingStrategy
        decoder.dataDecodingStrategy = dataDecodingStrategy
        decoder.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
        decoder.userInfo = userInfo
        decoder.allowsJSON5 = allowsJSON5
        decoder.assumesTopLevelDictionary = assumesTopLevelDictionary
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            if let date = try? Date(text, strategy: .iso8601) { return date }
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: context.debugDescription,
                    underlyingError: context.underlyingError))
        }
        do {
            _ = try decoder.decode(type, from: body)
            return error
        } catch {
            return error
        }
    }
}
