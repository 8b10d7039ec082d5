/// The random number generator SplitMix64. The same seed leads to the same numbers on every machine.
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// Returns a random number from 0 to below 1.
  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Returns `true` with a given probability. If the probability is 0 or 1, no random number is drawn.
  mutating func happens(_ probability: Double) -> Bool {
    probability >= 1 ? true : probability <= 0 ? false : unit() < probability
  }

  /// Mixes the bits of a number so that each bit affects the whole result (the finalizer of SplitMix64).
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
