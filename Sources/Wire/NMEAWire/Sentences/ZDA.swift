/// Time and date.
///
///     $GPZDA,081836.75,13,09,2026,00,00*6D
///            time      date       local zone (not read)
struct ZDA {
  var time: TimeOfDay?
  var date: CalendarDate?

  init(parsing fields: inout FieldCursor) throws(RejectReason) {
    time = try fields.time()
    let day = try fields.integer()
    let month = try fields.integer()
    let year = try fields.integer()
    guard let day, let month, let year else {
      guard day == nil, month == nil, year == nil else { throw .malformedField }
      return
    }
    guard let date = CalendarDate(year: year, month: month, day: day) else { throw .impossibleValue }
    self.date = date
  }
}
