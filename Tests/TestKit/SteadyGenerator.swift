/// Random numbers that are all the same: the shortest or the longest of what chance may choose.
public struct SteadyGenerator: RandomNumberGenerator {
  private let value: UInt64

  public init(value: UInt64) { self.value = value }

  public mutating func next() -> UInt64 { value }
}
