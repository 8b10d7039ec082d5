import JSONText

/// A set of model years: the `filter` or `dbgfilter` of a command.
///
///     {"from": 2009, "to": 2020}               2009…2020
///     {"to": 2010, "from": 2027}               up to 2010, and from 2027 on
///     {"to": 2003, "years": [2005, 2006]}      up to 2003, and these two
public struct YearFilter: Equatable, Sendable {
  /// First model year, inclusive; `nil` if not given. If it is after `to`, the filter includes the years up to `to` and
  /// those from `from` on.
  public var from: Int?
  /// Last model year, inclusive; `nil` if not given.
  public var to: Int?
  /// Further single model years.
  public var years: [Int]

  /// Creates a filter; the parameters are the properties of the same names.
  public init(from: Int? = nil, to: Int? = nil, years: [Int] = []) {
    self.from = from
    self.to = to
    self.years = years
  }

  init(reading value: JSONValue) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    from = try reader.optionalInt("from")
    to = try reader.optionalInt("to")
    years = []
    if let list = try reader.optionalArray("years") {
      for year in list { years.append(try year.requireInt()) }
    }
    try reader.finish()
  }

  /// Whether the filter includes a model year. An empty filter includes all.
  public func admits(_ year: Int) -> Bool {
    if years.contains(year) { return true }
    switch (from, to) {
    case (let from?, let to?): return from <= to ? (from...to).contains(year) : year >= from || year <= to
    case (let from?, nil): return year >= from
    case (nil, let to?): return year <= to
    case (nil, nil): return years.isEmpty
    }
  }

  /// Whether a model year exists that both filters include.
  func overlaps(_ other: YearFilter) -> Bool { (1950...2150).contains { admits($0) && other.admits($0) } }
}
