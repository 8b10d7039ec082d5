/// The version of the programs.
public enum Version {
  public static let text = "0.1.0"
  /// Release date (2026-11-01), ns since 1970. A clock that shows an earlier date is wrong.
  package static let released: Int64 = 1_793_491_200_000_000_000
}
