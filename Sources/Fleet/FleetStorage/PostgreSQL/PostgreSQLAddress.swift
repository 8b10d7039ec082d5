import CPostgres

/// A connection URI of PostgreSQL. It is parsed strictly. Otherwise, part of a password could be mistaken for a host, a
/// port or a name and then shown in a message.
///
///     postgres://fleet@db.example:5432/fleet?sslmode=verify-full
///     postgres://fleet@%2Frun%2Fpostgresql/fleet          the folder of a socket, percent-encoded
///     postgres://fleet@db1.example,db2.example/fleet      several hosts
///
/// If a password contains `@`, `/`, `?` or `&`, libpq splits the address at the wrong places and prints the parts
/// (libpq, section 34.1.1.2). This parser rejects such characters unless they are percent-encoded, and its errors do
/// not repeat the text.
public struct PostgreSQLAddress: Equatable, Sendable {
  /// The reason why a text is not an address. It contains no part of the text.
  public struct ParsingError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// The keywords of libpq with their values, each keyword once, without the password.
  public private(set) var options: [Option] = []
  /// The password; `nil` if the address has none.
  public private(set) var password: String?

  public struct Option: Equatable, Sendable {
    public let keyword: String
    public internal(set) var value: String
  }

  /// Parses an address. Percent-encoding is decoded; hosts and ports are not changed.
  public init(parsing text: String) throws(ParsingError) {
    guard let scheme = ["postgres://", "postgresql://"].first(where: { text.hasPrefix($0) }) else {
      throw ParsingError(description: "expected postgres://USER@HOST/DATABASE")
    }
    let rest = text.dropFirst(scheme.utf8.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest.dropFirst(authority.count).prefix { $0 != "?" }.dropFirst()
    try readAuthority(authority)
    if !path.isEmpty { add("dbname", try Self.decoded(path, "the database's name", others: "")) }
    if let mark = rest.firstIndex(of: "?") { try readQuery(rest[rest.index(after: mark)...]) }
  }

  /// Returns the value of a keyword; `nil` if the address does not contain it.
  public subscript(_ keyword: String) -> String? { options.first { $0.keyword == keyword }?.value }

  /// Returns the address with a password added; `nil` if the address already has one.
  public func withPassword(_ password: String) -> PostgreSQLAddress? {
    guard self.password == nil else { return nil }
    var changed = self
    changed.password = password
    return changed
  }

  /// Whether a host is another machine, and the address does not state whether to use TLS.
  var isRemoteWithoutMode: Bool { !isLocal && self["sslmode"] == nil && self["service"] == nil }

  /// Whether all hosts are this machine: a loopback address, a socket, or no host at all.
  public var isLocal: Bool {
    let hosts = self["hostaddr"] ?? self["host"] ?? ""
    return hosts.split(separator: ",").allSatisfy { host in
      host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1" || Self.isLoopback(host)
    }
  }

  private static func isLoopback(_ host: Substring) -> Bool {
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
  }

  // MARK: Parts

  private mutating func readAuthority(_ authority: Substring) throws(ParsingError) {
    var hosts = authority
    if let at = authority.lastIndex(of: "@") {
      let user = authority[..<at]
      hosts = authority[authority.index(after: at)...]
      let name = user.prefix { $0 != ":" }
      if !name.isEmpty { add("user", try Self.decoded(name, "the user's name", others: "")) }
      if name.endIndex < user.endIndex {
        let secret = user[user.index(after: name.endIndex)...]
        password = try Self.decoded(secret, "the password", others: ":")
      }
    }
    guard !hosts.isEmpty else { return }
    var (names, ports): ([String], [String]) = ([], [])
    for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
      let (name, port) = try Self.endpoint(host)
      names.append(name)
      ports.append(port)
    }
    add("host", names.joined(separator: ","))
    if ports.contains(where: { !$0.isEmpty }) { add("port", ports.joined(separator: ",")) }
  }

  private static func endpoint(_ text: Substring) throws(ParsingError) -> (host: String, port: String) {
    var (host, port) = (text, Substring())
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      port = text[text.index(after: end)...]
      guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || ":.%".contains($0) }) else { throw noHost }
    } else if let colon = text.firstIndex(of: ":") {
      (host, port) = (text[..<colon], text[colon...])
    }
    if !port.isEmpty {
      port = port.dropFirst()
      guard port.isEmpty || UInt16(port).map({ $0 > 0 }) == true && port.allSatisfy(\.isNumber) else {
        throw ParsingError(description: "the port is not a number from 1 to 65535; \(advice)")
      }
    }
    let name = host.contains(":") ? String(host) : try decoded(host, "the host", others: "")
    guard !name.contains(","), name.hasPrefix("/") || !name.contains("/") else { throw noHost }
    return (name, String(port))
  }

  private mutating func readQuery(_ query: Substring) throws(ParsingError) {
    let known = Self.keywords
    for (index, pair) in query.split(separator: "&", omittingEmptySubsequences: false).enumerated() where !pair.isEmpty
    {
      let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
      let what = "option \(index + 1) after the ?"
      guard parts.count == 2 else { throw ParsingError(description: "\(what) is not NAME=VALUE; \(Self.advice)") }
      var keyword = try Self.decoded(parts[0], what, others: "")
      var value = try Self.decoded(parts[1], what, others: "/:,")
      // libpq also accepts the key `ssl`, which addresses for JDBC use.
      if keyword == "ssl", value == "true" { (keyword, value) = ("sslmode", "require") }
      guard known.contains(keyword) else {
        throw ParsingError(description: "\(what) has a name that libpq does not know; \(Self.advice)")
      }
      if keyword == "password" {
        guard password == nil else { throw ParsingError(description: "the password is given twice") }
        password = value
      } else {
        guard self[keyword] == nil else { throw ParsingError(description: "\(keyword) is given twice") }
        add(keyword, value)
      }
    }
  }

  private mutating func add(_ keyword: String, _ value: String) {
    options.append(Option(keyword: keyword, value: value))
  }

  /// Decodes percent-encoding.
  ///
  /// - Parameters:
  ///   - what: the name of this part of the address, for the error message.
  ///   - others: the characters that may occur unencoded, in addition to letters, digits, `-._~!$*+` and all characters
  ///     that are not ASCII.
  private static func decoded(_ text: Substring, _ what: String, others: String) throws(ParsingError) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        let digits = rest.prefix(2)
        rest = rest.dropFirst(2)
        guard digits.count == 2, digits.allSatisfy({ $0.isHexDigit }),
          let value = UInt8(String(Substring(digits)), radix: 16), value > 0
        else { throw ParsingError(description: "\(what) has a % without two hexadecimal digits; \(advice)") }
        bytes.append(value)
      case 0x80...: bytes.append(byte)
      case _ where byte.isAlphanumeric || "-._~!$*+".utf8.contains(byte) || others.utf8.contains(byte):
        bytes.append(byte)
      default: throw ParsingError(description: "\(what) has a character that must be percent-encoded; \(advice)")
      }
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else {
      throw ParsingError(description: "\(what) is not UTF-8; \(advice)")
    }
    return decoded
  }

  private static let advice =
    "write special characters of a password as %40 for @, %2F for /, %3A for :, %25 for %, or keep it in a file"
  private static let noHost = ParsingError(description: "a host is neither a name nor an address; \(advice)")

  /// The keywords that libpq supports.
  private static var keywords: Set<String> {
    guard let options = unsafe PQconndefaults() else { return [] }
    defer { unsafe PQconninfoFree(options) }
    var known: Set<String> = []
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      known.insert(unsafe String(cString: keyword))
      unsafe option += 1
    }
    return known
  }
}

extension UInt8 {
  fileprivate var isAlphanumeric: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }

  fileprivate var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
