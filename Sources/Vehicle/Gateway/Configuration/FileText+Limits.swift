import Failures

extension FileText {
  /// Maximum size of a signal-set file, bytes.
  static let signalSetLimit = 4 << 20
  /// Maximum size of a fence file, bytes. It is about twice the size of a file with 100,000 fences of 50 vertices each.
  public static let fenceLimit = 512 << 20
}
