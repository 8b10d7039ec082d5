/// What ``FleetStorage/exportRows(of:tenant:_:)`` delivers.
public enum ArchivedRow: Sendable {
  /// Everything that follows belongs to one moment.
  case start
  /// The rows that follow belong to this table.
  case table(ArchiveTable)
  /// The values of one row, in the order of the table's columns.
  case row([JSON])
}
