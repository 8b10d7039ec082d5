/// The generations of a tenant's feed positions. A generation begins when a backup is restored. Its positions are
/// higher than all positions that readers may have received after the backup was made.
///
/// The changes of earlier generations stay in the feed, because the server's own readers have stored their positions in
/// the same database. These positions were restored together with the feed, and still refer to the same changes.
struct FeedGenerations {
  private struct Generation {
    /// The position before the first change of the generation.
    var start: Int64
    /// The number of positions before `start` that belong to no change.
    var skipped: Int64
  }

  private var generations: [Generation] = []

  /// The lowest position that a reader outside the database may have received in the present generation.
  var start: Int64 { generations.last?.start ?? 0 }

  /// Reads generations in the form of ``column``. Any other value is treated as an empty list of generations.
  init(_ column: [UInt8]?) {
    let numbers = String(decoding: column ?? [], as: UTF8.self).split(separator: " ").map { Int64($0) ?? 0 }
    for index in stride(from: 0, to: numbers.count - numbers.count % 2, by: 2) {
      generations.append(Generation(start: numbers[index], skipped: numbers[index + 1]))
    }
  }

  /// The stored form: the start and the skipped positions of each generation.
  var column: [UInt8] { Array(generations.map { "\($0.start) \($0.skipped)" }.joined(separator: " ").utf8) }

  /// Begins a generation.
  ///
  /// - Parameters:
  ///   - start: the position before its first change; higher than `position`.
  ///   - position: the feed's present position.
  ///   - forgotten: the position up to which changes were removed from the feed. Earlier generations that began at or
  ///     before this position are no longer needed, and are removed.
  mutating func begin(at start: Int64, after position: Int64, forgotten: Int64) {
    generations.removeAll { $0.start <= forgotten }
    generations.append(Generation(start: start, skipped: start - position))
  }

  /// Returns the number of changes from the one after `first` through the one at `last`.
  func changes(after first: Int64, through last: Int64) -> Int64 {
    generations.reduce(last - first) { number, generation in
      generation.start > first && generation.start <= last ? number - generation.skipped : number
    }
  }
}

extension StoreSession {
  /// Returns the generations of a tenant's feed positions.
  func generations(of tenant: Int32) throws(StoreFailure) -> FeedGenerations {
    FeedGenerations(try setting(Self.generations(of: tenant)))
  }

  /// Stores the generations of a tenant's feed positions.
  func setGenerations(_ generations: FeedGenerations, of tenant: Int32) throws(StoreFailure) {
    try run(
      "INSERT INTO setting VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [.text(Self.generations(of: tenant)), .bytes(generations.column)])
  }

  private static func generations(of tenant: Int32) -> String { "generations \(tenant)" }
}
