/// What this is, and since when.
public enum Version {
  public static let text = "0.1.0"
  /// 2026-11-01, ns since 1970: no clock that is right says less.
  static let released: Int64 = 1_793_491_200_000_000_000
}
