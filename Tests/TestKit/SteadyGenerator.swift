/// A generator of constant numbers, which select the shortest or the longest of random values.
public struct SteadyGenerator: RandomNumberGenerator {
  private let value: UInt64

  public init(value: UInt64) { self.value = value }

  public mutating func next() -> UInt64 { value }
}
