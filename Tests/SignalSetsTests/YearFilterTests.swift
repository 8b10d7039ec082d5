import SignalSets
import Testing

struct YearFilterTests {
  @Test(arguments: [
    (YearFilter(from: 2009), [2008, 2009, 2030], [false, true, true]),
    (YearFilter(to: 2015), [1999, 2015, 2016], [true, true, false]),
    (YearFilter(from: 2009, to: 2011), [2008, 2009, 2011, 2012], [false, true, true, false]),
    (
      YearFilter(from: 2027, to: 2010, years: [2015]), [2010, 2011, 2015, 2026, 2027], [true, false, true, false, true]
    ),
    (YearFilter(years: [2016, 2018]), [2016, 2017, 2018], [true, false, true]),
    (YearFilter(), [1990, 2040], [true, true]),
    (YearFilter(from: 2020, to: 2020), [2019, 2020, 2021], [false, true, false]),
  ])
  func year_passes_a_range_the_outside_of_a_gap_and_single_years(
    _ filter: YearFilter, _ years: [Int], _ expected: [Bool]
  ) {
    #expect(years.map(filter.admits) == expected)
  }
}
