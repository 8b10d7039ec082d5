import Failures
import FleetMessages
import FleetOutbox
import JSONText
import Telemetry

/// The object `mail` of the configuration: the server that sends mails to people.
///
///     { "url": "smtps://mail.example", "from": "Fleet <fleet@example.com>", "user": "fleet",
///       "passwordFile": "mail.password", "caFile": "ca.pem" }
extension Configuration {
  mutating func readMail(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    guard let object = reader.optional("mail") else { return }
    var mail = try JSONObjectReader(object)
    var login: MailServer.Login?
    if let value = mail.optional("user") {
      let user = try value.requireString()
      guard (1...200).contains(user.utf8.count), user.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
        throw value.invalid(expected: "1 to 200 characters of ASCII")
      }
      login = .init(user: user, password: "")
    }
    if let value = mail.optional("passwordFile") {
      let path = try Self.path(value, folder)
      do throws(Failure) {
        login?.password = try FileText.readSecretLine(path)
      } catch {
        throw value.invalid(expected: "a file with one line that others cannot read", found: error.description)
      }
      guard login != nil else { throw value.invalid(expected: "\"user\" beside it", found: "none") }
      secretFiles.mail = path
    } else if login != nil {
      throw object.error(.missingKey("passwordFile"))
    }
    let authorities = try mail.optional("caFile").map { value throws(JSONError) in
      try PEMFile.readCertificates(value, folder: folder).path
    }
    let sender = try mail.required("from")
    guard let from = MailAddress(parsing: try sender.requireString()) else {
      throw sender.invalid(expected: "an address like \"Fleet <fleet@example.com>\" or \"fleet@example.com\"")
    }
    let url = try mail.requiredLast("url")
    guard var server = MailServer(try url.requireString(), from: from) else {
      throw url.invalid(expected: "smtps://HOST:PORT, or smtp://HOST:PORT with STARTTLS")
    }
    server.login = login
    server.authorities = authorities
    server.serviceName = self.server.accounts.serviceName
    guard self.server.accounts.publicURL != nil else {
      throw object.invalid(expected: "accounts.url beside it, which is the address in links", found: "none")
    }
    self.server.accounts.sendsMail = true
    self.mail = server
  }

  func write(_ mail: MailServer, _ line: inout JSONLineEncoder) {
    line.beginObject("mail")
    line.field("url", mail.description)
    line.field("from", mail.from.text)
    line.field("user", mail.login?.user)
    line.field("passwordFile", secretFiles.mail)
    line.field("caFile", mail.authorities)
    line.end()
  }
}
