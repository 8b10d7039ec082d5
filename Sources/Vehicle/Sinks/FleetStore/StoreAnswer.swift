import JSONText

/// The body of a reply with status 200: the server's result for each record of a request.
///
///     {"stored":98,"duplicates":1,"refused":1,"results":[{"index":7,"outcome":"refused","reason":"timestamp: …"}]}
///
/// `results` has all records, or only the rejected ones. If the numbers contradict each other, the reply is invalid.
/// For example, it may come from another service.
struct StoreAnswer: Equatable, Sendable {
  /// A rejected record.
  struct Refusal: Equatable, Sendable {
    /// Index of the record in the request, counted from 0.
    var index: Int
    var reason: String
    /// Whether the record was rejected because of its gateway or vehicle, not because of its content. The server's
    /// operator can change this by assigning the vehicle or gateway.
    var isForeign = false
    /// Whether the record was rejected because its vehicle belongs to another gateway.
    var isOfForeignVehicle = false
  }

  /// The rejected records, in ascending order of their indices. No index occurs twice.
  var refused: [Refusal] = []

  /// The reason why a reply is invalid.
  struct NotUnderstood: Error, Equatable {
    var reason: String
  }

  /// Parses a reply.
  ///
  /// - Parameter records: number of records in the request.
  init(parsing body: [UInt8], records: Int) throws(NotUnderstood) {
    do throws(JSONError) {
      let document = try JSONDocument(parsing: body, maximumDepth: 16)
      // Ignore unknown keys, because a later version of the server may send more.
      var reader = try JSONObjectReader(document.root)
      let range = 0...records
      let counts = try [
        reader.requiredInt("stored", in: range), reader.requiredInt("duplicates", in: range),
        reader.requiredInt("refused", in: range),
      ]
      for value in try reader.optionalArray("results").map(Array.init) ?? [] {
        if let refusal = try Self.refusal(value, records) { refused.append(refusal) }
      }
      guard counts.reduce(0, +) == records else {
        throw document.root.invalid(expected: "figures for \(records) records", found: "for \(counts.reduce(0, +))")
      }
      refused.sort { $0.index < $1.index }
      let isDoubled = zip(refused, refused.dropFirst()).contains { $0.index == $1.index }
      guard refused.count == counts[2], !isDoubled else {
        throw document.root.invalid(expected: "\(counts[2]) refused results", found: "\(refused.count)")
      }
    } catch {
      throw NotUnderstood(reason: error.message)
    }
  }

  private static func refusal(_ value: JSONValue, _ records: Int) throws(JSONError) -> Refusal? {
    var reader = try JSONObjectReader(value)
    let index = try reader.requiredInt("index", in: 0...max(0, records - 1))
    let outcome = try reader.requiredString("outcome", oneOf: ["stored", "duplicate", "refused"])
    let reason = try reader.optionalString("reason") ?? "no reason given"
    let kind = try reader.optionalString("kind") ?? ""
    let isOfForeignVehicle = kind == "foreignVehicle"
    return outcome == "refused"
      ? Refusal(
        index: index, reason: PeerText.shown(reason), isForeign: isOfForeignVehicle || kind == "foreignGateway",
        isOfForeignVehicle: isOfForeignVehicle) : nil
  }
}
