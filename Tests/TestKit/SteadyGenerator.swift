/// A generator that always returns the same number. With it, a test gets the lowest or the highest of random values.
public struct SteadyGenerator: RandomNumberGenerator {
  private let value: UInt64

  public init(value: UInt64) { self.value = value }

  public mutating func next() -> UInt64 { value }
}
