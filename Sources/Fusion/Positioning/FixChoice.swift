import NMEAWire

/// Of several receivers, the one whose fixes are the vehicle's position.
///
///     var choice = FixChoice()
///     let roof = choice.add()
///     if choice.take(fix, from: roof, at: now) { … }       // the chosen one's
///
/// The best valid fix wins: by its kind (rtkFixed > rtkFloat > dgps > 3d > 2d > estimated), then by its HDOP. A receiver
/// that has just become better must stay so for a while, and one that is chosen keeps its place until it has been silent
/// or without a fix for 1.5 s: two antennas have two positions, and a track that leaps between them is none.
///
/// No clock, no I/O, nothing allocated by a fix.
public struct FixChoice: ~Copyable {
  private struct Source: BitwiseCopyable {
    var isInUse = true
    /// Of the newest valid fix; `.min / 2`: none yet.
    var lastValid: Int64 = .min / 2
    var rank = 0
    var hdop = Double.infinity
    /// Since when its fixes have been better than the chosen one's; nil: they are not.
    var betterSince: Int64?
  }

  /// A fix is a position for so long.
  static let patience: Int64 = Fusion.fixWindow
  /// So long another one must be better.
  static let proof: Int64 = 10_000_000_000
  /// Of two fixes of a kind one is better whose HDOP is so much lower.
  static let betterHDOP = 0.67

  private var sources: [Source] = []
  /// The receiver whose fixes count; nil: none has sent any.
  public private(set) var chosen: Int?

  public init() {}

  /// A receiver that is there from now on; its number.
  public mutating func add() -> Int {
    if let free = sources.indices.first(where: { !sources[$0].isInUse }) {
      sources[free] = Source()
      return free
    }
    sources.append(Source())
    return sources.count - 1
  }

  /// A receiver is no more.
  public mutating func remove(_ source: Int) {
    sources[source].isInUse = false
    if chosen == source { chosen = nil }
  }

  /// The receiver whose fix is the vehicle's position at a time; nil: there is none, the chosen one is silent or without
  /// a fix.
  public func position(at time: Int64) -> Int? {
    guard let chosen, time - sources[chosen].lastValid <= Self.patience else { return nil }
    return chosen
  }

  /// Takes a receiver's fix, valid or not.
  ///
  /// - Returns: whether it is the vehicle's.
  public mutating func take(_ fix: Fix, from source: Int, at time: Int64) -> Bool {
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
