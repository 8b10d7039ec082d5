extension FieldCursor {
  /// Reads a time `hhmmss` or `hhmmss.sss`; `nil` if the field is empty.
  @_lifetime(self: copy self)
  mutating func time() throws(RejectReason) -> TimeOfDay? {
    try begin()
    if isDelimiter(bytes[index]) {
      end()
      return nil
    }
    if let time = shortTime() { return time }
    return try longTime()
  }

  /// Reads a time with any number of decimals.
  @_lifetime(self: copy self)
  mutating func longTime() throws(RejectReason) -> TimeOfDay {
    let hour = try twoDigits()
    let minute = try twoDigits()
    let second = try twoDigits()
    var nanosecond = 0
    if bytes[index] == 0x2E {
      index &+= 1
      var unit = 100_000_000
      while let digit = digit(bytes[index]) {
        nanosecond += Int(digit) * unit
        unit /= 10
        index &+= 1
      }
    }
    try close()
    guard let time = TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond) else {
      throw .impossibleValue
    }
    return time
  }

  /// Reads a date `ddmmyy`; `nil` if the field is empty. The years 80–99 are 1980–1999, because GPS began in 1980.
  @_lifetime(self: copy self)
  mutating func date() throws(RejectReason) -> CalendarDate? {
    try begin()
    if isDelimiter(bytes[index]) {
      end()
      return nil
    }
    let day = try twoDigits()
    let month = try twoDigits()
    let year = try twoDigits()
    try close()
    guard let date = CalendarDate(year: year >= 80 ? 1900 + year : 2000 + year, month: month, day: day) else {
      throw .impossibleValue
    }
    return date
  }
}
