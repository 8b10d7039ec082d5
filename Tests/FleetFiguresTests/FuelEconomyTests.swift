import FleetDomain
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetFigures

@Suite struct FuelEconomyTests {
  private static func entry(
    _ hour: Int, _ odometer: Double?, _ quantity: Double, full: Bool = true, missed: Bool = false,
    _ energy: FuelEntry.Energy = .petrol, unit: FuelEntry.Unit? = nil
  ) throws -> FuelEntry {
    var entry = FuelEntry()
    entry.vehicle = "VAN-1"
    entry.at = Timestamp(nanoseconds: Int64(hour) * 3_600_000_000_000)
    entry.odometer = odometer
    entry.quantity = quantity
    entry.isFull = full
    entry.missedPrevious = missed
    entry.energy = energy
    entry.unit = unit
    try entry.complete()
    return entry
  }

  /// A full tank, twice 10 L, and a full tank with 20 L after 500 km are 8.0 L/100 km.
  @Test func partial_fills_count_towards_the_next_full_one() throws {
    let economy = FuelEconomy([
      try Self.entry(0, 10_000, 40), try Self.entry(1, 10_100, 10, full: false),
      try Self.entry(2, nil, 10, full: false), try Self.entry(3, 10_500, 20),
    ])
    #expect(economy.intervals.map(\.quantityPer100km) == [8])
    #expect(economy.intervals.map(\.distance) == [500] && economy.intervals.map(\.quantity) == [40])
  }

  @Test func a_partial_first_fill_belongs_to_no_interval() throws {
    let economy = FuelEconomy([
      try Self.entry(0, 9_900, 25, full: false), try Self.entry(1, 10_000, 40), try Self.entry(2, 10_500, 30),
    ])
    #expect(economy.intervals.map(\.quantityPer100km) == [6])
  }

  @Test func no_interval_spans_a_missed_entry() throws {
    // An entry was missed before a partial fill, or before a full one, which begins a new interval.
    for isFull in [true, false] {
      let economy = FuelEconomy([
        try Self.entry(0, 10_000, 40), try Self.entry(1, 10_400, 10, full: isFull, missed: true),
        try Self.entry(2, 10_900, 50), try Self.entry(3, 11_400, 25),
      ])
      #expect(economy.intervals.map(\.quantityPer100km) == (isFull ? [10, 5] : [5]))
    }
  }

  @Test func each_energy_has_its_own_chain() throws {
    let economy = FuelEconomy([
      try Self.entry(0, 10_000, 40), try Self.entry(1, 10_010, 12, .electric), try Self.entry(2, 10_110, 18, .electric),
      try Self.entry(3, 10_500, 30),
    ])
    #expect(economy.averages[.petrol]?.quantityPer100km == 6)
    #expect(economy.averages[.electric]?.quantityPer100km == 18)
  }

  @Test func an_average_weighs_by_distance() throws {
    let economy = FuelEconomy([
      try Self.entry(0, 0, 40), try Self.entry(1, 900, 45), try Self.entry(2, 1_000, 15),
    ])
    #expect(economy.intervals.map(\.quantityPer100km) == [5, 15])
    #expect(economy.averages[.petrol]?.quantityPer100km == 6)
  }

  @Test func gallons_are_litres_in_sums() throws {
    let american = FuelEconomy([try Self.entry(0, 0, 1), try Self.entry(1, 100, 10, unit: .usGallon)])
    #expect(american.intervals.map(\.quantity) == [37.854_117_84])
    let imperial = FuelEconomy([try Self.entry(0, 0, 1), try Self.entry(1, 100, 10, unit: .imperialGallon)])
    #expect(imperial.intervals.map(\.quantity) == [45.4609])
    #expect(throws: ThingError.self) { try Self.entry(0, 0, 1, .electric, unit: .litre) }
    #expect(throws: ThingError.self) { try Self.entry(0, 0, 1, .diesel, unit: .kilogram) }
  }

  @Test func an_odometer_that_goes_back_begins_a_new_chain() throws {
    let economy = FuelEconomy([
      try Self.entry(0, 10_000, 40), try Self.entry(1, 500, 40), try Self.entry(2, 1_000, 30),
    ])
    #expect(economy.intervals.map(\.distance) == [500])
  }

  @Test func intervals_belong_to_the_range_in_which_they_end() throws {
    let economy = FuelEconomy([
      try Self.entry(0, 0, 40), try Self.entry(10, 500, 45), try Self.entry(20, 1_000, 15),
    ])
    func hour(_ hour: Int) -> Timestamp { Timestamp(nanoseconds: Int64(hour) * 3_600_000_000_000) }
    #expect(economy.ending(from: nil, to: hour(10)).intervals.isEmpty)
    #expect(economy.ending(from: hour(10), to: hour(20)).intervals == [economy.intervals[0]])
    #expect(economy.ending(from: hour(20), to: nil).intervals == [economy.intervals[1]])
  }

  /// Computes the intervals from their definition, in cubic time: each pair of full tanks of one kind of energy with
  /// readings, and without such a tank between them.
  private static func obvious(_ entries: [FuelEntry]) -> [FuelEconomy.Interval] {
    var intervals: [FuelEconomy.Interval] = []
    for energy in FuelEntry.Energy.allCases {
      let chain = entries.filter { $0.energy == energy }
      func isMark(_ entry: FuelEntry) -> Bool { entry.isFull && entry.odometer != nil }
      for (first, last) in chain.indices.flatMap({ first in chain.indices.map { (first, $0) } }) where first < last {
        let between = chain[(first + 1)..<last]
        let filled = chain[(first + 1)...last]
        guard isMark(chain[first]), isMark(chain[last]), !between.contains(where: isMark),
          !filled.contains(where: \.missedPrevious), let from = chain[first].odometer, let to = chain[last].odometer,
          to > from
        else { continue }
        intervals.append(
          .init(
            from: chain[first].at, to: chain[last].at, energy: energy, distance: to - from,
            quantity: filled.reduce(0) { $0 + $1.quantity }))
      }
    }
    return intervals
  }

  @Test(arguments: 1...40) func random_entries_agree_with_the_definition(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<50 {
      var odometer = 0.0
      var entries: [FuelEntry] = []
      for hour in 0..<Int.random(in: 0...20, using: &random) {
        odometer += Double(Int.random(in: -20...500, using: &random))
        // Quantities of quarter litres have exact sums.
        entries.append(
          try Self.entry(
            hour, Int.random(in: 0..<5, using: &random) == 0 ? nil : odometer,
            Double(Int.random(in: 1...200, using: &random)) / 4, full: Int.random(in: 0..<3, using: &random) > 0,
            missed: Int.random(in: 0..<8, using: &random) == 0,
            [.petrol, .electric, .adBlue].randomElement(using: &random) ?? .petrol))
      }
      let expected = Self.obvious(entries).sorted { $0.to < $1.to }
      #expect(FuelEconomy(entries.shuffled(using: &random)).intervals == expected)
    }
  }
}
