import FleetDomain

/// The program that read the text on a photo, according to the answer of the image helper.
public enum TextReader: Equatable, Sendable {
  case networks
  /// Tesseract, which finds fewer values. The text states why the networks are not used.
  case tesseract(String)
  /// No program. The text states why the networks are not used.
  case missing(String)

  /// Returns the program that an answer of the helper names; `nil` if it names none.
  public init?(json: JSON) {
    let reason = json["reason"]?.textValue ?? ""
    switch json["recognizer"]?.textValue {
    case "networks": self = .networks
    case "tesseract": self = .tesseract(reason)
    case "none": self = .missing(reason)
    default: return nil
    }
  }
}
