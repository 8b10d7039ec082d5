import Failures

extension FileText {
  /// Maximum size of a signal set, bytes.
  static let signalSetLimit = 4 << 20
  /// Maximum size of a fence file, bytes: twice the size of a file with a hundred thousand fences of fifty corners
  /// each.
  public static let fenceLimit = 512 << 20
}
