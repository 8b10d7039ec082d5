import NMEAWire

/// Chooses one of several receivers as the source of the vehicle's position.
///
///     var choice = FixChoice()
///     let roof = choice.add()
///     if choice.update(fix, from: roof, at: now) { … }       // the fix is from the chosen receiver
///
/// The receiver with the best valid fix is chosen. A fix is better if its type is better (rtkFixed > rtkFloat > dgps >
/// 3d > 2d > estimated) or, with the same type, if its HDOP is clearly lower. Another receiver replaces the chosen one
/// if its fixes have been better for ``proof``, or if the chosen one has had no valid fix for 1.5 s. Frequent changes
/// are avoided, because the antennas are at different places, and the vehicle's track must not jump between these
/// places.
///
/// The choice does no I/O, reads no clock, and allocates no memory for a fix.
public struct FixChoice: ~Copyable {
  private struct Source: BitwiseCopyable {
    var isInUse = true
    /// Time of this receiver's newest valid fix; `.min / 2` if there is none.
    var lastValid: Int64 = .min / 2
    var rank = 0
    var hdop = Double.infinity
    /// Time since which this receiver's fixes have been better than those of the chosen receiver; `nil` if they are not
    /// better.
    var betterSince: Int64?
  }

  /// Time for which a fix stays valid, ns.
  static let patience: Int64 = PositionState.window
  /// Time for which another receiver's fixes must be better before that receiver is chosen, ns.
  static let proof: Int64 = 10_000_000_000
  /// Of two fixes of the same type, one counts as better if its HDOP is less than this factor times the HDOP of the
  /// other.
  static let betterHDOP = 0.67

  private var sources: [Source] = []
  /// The number of the chosen receiver; `nil` if no receiver has sent a fix.
  public private(set) var chosen: Int?

  /// Creates a choice without receivers.
  public init() {}

  /// Adds a receiver, and returns the number that identifies it. Numbers of removed receivers are used again.
  public mutating func add() -> Int {
    if let free = sources.indices.first(where: { !sources[$0].isInUse }) {
      sources[free] = Source()
      return free
    }
    sources.append(Source())
    return sources.count - 1
  }

  /// Removes the receiver with this number.
  public mutating func remove(_ source: Int) {
    sources[source].isInUse = false
    if chosen == source { chosen = nil }
  }

  /// Returns the number of the receiver whose fix is the vehicle's position; `nil` if the chosen receiver has no valid
  /// fix.
  public func position(at time: Int64) -> Int? {
    guard let chosen, time - sources[chosen].lastValid <= Self.patience else { return nil }
    return chosen
  }

  /// Evaluates a receiver's fix, which may be invalid.
  ///
  /// - Returns: whether this receiver is now the chosen one.
  public mutating func update(_ fix: Fix, from source: Int, at time: Int64) -> Bool {
    if fix.latitude != nil {
      sources[source].lastValid = time
      sources[source].rank = Self.rank(fix.type)
      sources[source].hdop = fix.hdop ?? .infinity
    }
    guard let chosen else {
      self.chosen = source
      return true
    }
    guard chosen != source else { return true }
    guard fix.latitude != nil else {
      sources[source].betterSince = nil
      return false
    }
    if time - sources[chosen].lastValid > Self.patience {
      choose(source)
    } else if isBetter(source, than: chosen) {
      let since = sources[source].betterSince ?? time
      sources[source].betterSince = since
      if time - since >= Self.proof { choose(source) }
    } else {
      sources[source].betterSince = nil
    }
    return self.chosen == source
  }

  private mutating func choose(_ source: Int) {
    chosen = source
    for index in sources.indices { sources[index].betterSince = nil }
  }

  private func isBetter(_ source: Int, than other: Int) -> Bool {
    let (one, two) = (sources[source], sources[other])
    return one.rank > two.rank || one.rank == two.rank && one.hdop < two.hdop * Self.betterHDOP
  }

  private static func rank(_ type: FixType) -> Int {
    switch type {
    case .none: 0
    case .estimated: 1
    case .twoD: 2
    case .threeD: 3
    case .dgps: 4
    case .rtkFloat: 5
    case .rtkFixed: 6
    }
  }
}
