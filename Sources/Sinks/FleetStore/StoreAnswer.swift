import JSONText

/// What the server says of each record of a batch: the body of its 200.
///
///     {"stored":98,"duplicates":1,"refused":1,"results":[{"index":7,"outcome":"refused","reason":"timestamp: …"}]}
///
/// Results may be listed for all records or for the refused alone. An answer whose figures do not fit together is not
/// understood: it may be another's, or cut in a way that still reads.
struct StoreAnswer: Equatable, Sendable {
  struct Refusal: Equatable, Sendable {
    /// Of the record in the request, from 0.
    var index: Int
    var reason: String
    /// The record is refused for whose it is, not for what it says: that can be put right on the server.
    var isForeign = false
  }

  /// Ascending by index, each once.
  var refused: [Refusal] = []

  /// Why an answer is not understood.
  struct NotUnderstood: Error, Equatable {
    var reason: String
  }

  /// - Parameter records: how many were sent.
  init(parsing body: [UInt8], records: Int) throws(NotUnderstood) {
    do throws(JSONError) {
      let document = try JSONDocument(parsing: body, maximumDepth: 16)
      // What else a later server may say means nothing here.
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
    let isForeign = try ["foreignGateway", "foreignVehicle"].contains(reader.optionalString("kind") ?? "")
    return outcome == "refused"
      ? Refusal(index: index, reason: PeerText.shown(reason), isForeign: isForeign) : nil
  }
}
