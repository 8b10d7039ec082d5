/// The generator SplitMix64, which gives the same numbers on every machine for a seed.
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// Returns a number in [0, 1).
  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Returns `true` with a probability. It draws no random number if the result is certain.
  mutating func happens(_ probability: Double) -> Bool {
    probability >= 1 ? true : probability <= 0 ? false : unit() < probability
  }

  /// Distributes every bit of a key over the whole word (SplitMix64's finalizer).
  static func mix(_ key: UInt64) -> UInt64 {
    var z = key
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension Duration {
  /// The duration in seconds.
  var inSeconds: Double { self / .seconds(1) }
}
