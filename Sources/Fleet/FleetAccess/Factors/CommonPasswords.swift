/// The passwords that attackers try first. The package zxcvbn lists the 30,000 most common passwords of leaked
/// collections; these are the ones with at least eight characters.
public enum CommonPasswords {
  /// All passwords of ``list``, in lower case.
  public static let all = list.split { $0 == " " || $0 == "\n" }.map(String.init)
}
