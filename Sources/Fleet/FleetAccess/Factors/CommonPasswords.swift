/// The passwords that attackers try first: those with at least eight characters among the 30,000 most common ones of
/// leaked collections, according to the package zxcvbn.
public enum CommonPasswords {
  /// All of these passwords, in lower case.
  public static let all = list.split { $0 == " " || $0 == "\n" }.map(String.init)
}
