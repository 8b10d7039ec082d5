/// An element of the sequence that ``FleetStorage/exportRows(of:tenant:_:)`` passes to its caller.
public enum ArchivedRow: Sendable {
  /// The beginning. All rows that follow show the database as it was at one moment.
  case start
  /// The rows that follow belong to this table.
  case table(ArchiveTable)
  /// The values of one row, in the order of the table's columns.
  case row([JSON])
}
