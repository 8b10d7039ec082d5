/// The results of the fault matrix.
struct MatrixTable {
  struct Entry: Sendable {
    let name: String
    let limit: Double
    private(set) var plays = 0
    private(set) var worst = 0.0
    private(set) var said: [String] = []
    private(set) var complaints: [String] = []

    init(_ name: String, limit: Double) {
      self.name = name
      self.limit = limit
    }

    mutating func add(_ outcome: FaultRow.Outcome, _ play: FaultRow.Play) {
      plays += 1
      worst = max(worst, outcome.recovery ?? .infinity)
      for word in outcome.said where !said.contains(word) { said.append(word) }
      let harmful = Set(outcome.commands.filter { !Harmless.allows($0) }).map { "sent \($0)" }
      for complaint in outcome.complaints + harmful {
        complaints.append("\(play.faults): \(complaint); said \(outcome.said.joined(separator: " "))")
      }
    }
  }

  private(set) var entries: [Entry] = []

  mutating func add(_ entry: Entry) { entries.append(entry) }

  /// Prints the results in the order of the rows.
  func show(_ title: String) {
    let order = FaultRows.all.map(\.name)
    let sorted = entries.sorted { (order.firstIndex(of: $0.name) ?? 0) < (order.firstIndex(of: $1.name) ?? 0) }
    let lines = sorted.map { entry in
      [
        Self.pad(entry.name, 38), Self.pad(String(entry.plays), 5), Self.pad(Self.seconds(entry.worst), 8),
        Self.pad(Self.seconds(entry.limit), 8), entry.said.joined(separator: " "),
      ].joined(separator: " ")
    }
    let head = Self.pad("fault matrix: \(title)", 38) + " plays recovery allowed  adapter records"
    print(([head] + lines).joined(separator: "\n"))
  }

  private static func seconds(_ value: Double) -> String {
    guard value.isFinite else { return "never" }
    let hundredths = Int((value * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
