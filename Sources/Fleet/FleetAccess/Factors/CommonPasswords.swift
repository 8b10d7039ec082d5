/// The passwords that attackers try first: those of at least eight characters among the 30,000 most common ones of leaked
/// collections, as the package zxcvbn counts them.
public enum CommonPasswords {
  /// Each in lower case.
  public static let all = list.split { $0 == " " || $0 == "\n" }.map(String.init)
}
