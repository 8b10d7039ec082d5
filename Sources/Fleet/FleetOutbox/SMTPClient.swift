import CCurl
import FleetMessages
import Synchronization

/// Sends mails over SMTP, one after another, each over a new connection. Only one thread may use a client.
@safe final class SMTPClient {
  private let server: MailServer
  private let client: OpaquePointer

  /// Creates a client for a server.
  ///
  /// - Throws: `missingLibrary` if libcurl is not installed.
  init(_ server: MailServer) throws(MailFailure) {
    self.server = server
    guard ccurl_load() == 0 else {
      throw MailFailure(
        .missingLibrary, "libcurl.so.4 is not installed or too old: install the package libcurl4")
    }
    var options = unsafe ccurl_options()
    unsafe options.connect_limit = server.connectSeconds * 1_000
    unsafe options.request_limit = server.mailSeconds * 1_000
    unsafe options.slow_speed = 1
    unsafe options.slow_time = server.mailSeconds
    // libcurl copies these texts, so they need not outlive the call.
    let made = unsafe Self.withText(server.authorities) { authorities in
      unsafe options.authorities = authorities
      return unsafe ccurl_make(&options)
    }
    guard let made = unsafe made else { throw MailFailure(.failed, "no memory for libcurl") }
    unsafe client = made
  }

  deinit { unsafe ccurl_free(client) }

  /// Sends a mail and waits until the server has accepted it.
  ///
  /// - Parameter isStopping: is called at least five times a second. If it returns `true`, sending is interrupted.
  func send(_ message: MailMessage, isStopping: () -> Bool) throws(MailFailure) {
    let bytes = message.bytes
    let result = unsafe bytes.withUnsafeBufferPointer { bytes -> ccurl_end? in
      let code = unsafe Self.withText(server.login?.user) { user in
        unsafe Self.withText(server.login?.password) { password in
          unsafe ccurl_begin_mail(
            client, server.description, message.from.address.text, message.to.address.text, user, password,
            server.requiresTLS ? 1 : 0, bytes.baseAddress, bytes.count)
        }
      }
      guard code == 0 else { return ccurl_other }
      while true {
        let state = unsafe ccurl_continue(client)
        if state == 1 { return unsafe ccurl_result(client) }
        guard state == 0, !isStopping() else {
          unsafe ccurl_abandon(client)
          return state < 0 ? ccurl_other : nil
        }
        _ = unsafe ccurl_wait(client, -1, 200)
      }
    }
    guard let result else { throw MailFailure(.stopped, "stopped") }
    guard result == ccurl_done else { throw failure(result) }
  }

  private func failure(_ result: ccurl_end) -> MailFailure {
    let reason = unsafe String(cString: ccurl_reason(client))
    let code = unsafe ccurl_status(client)
    let place = server.description
    return switch result {
    case ccurl_unreachable, ccurl_timed_out:
      MailFailure(.unreachable, place, reason)
    case ccurl_certificate, ccurl_handshake:
      MailFailure(.insecure, place, "its certificate is not accepted: \(reason)")
    case ccurl_authorities:
      MailFailure(.insecure, place, "the authorities of mail.caFile cannot be used: \(reason)")
    case ccurl_no_tls:
      MailFailure(.insecure, place, "the server does not offer STARTTLS, so nothing was sent")
    case ccurl_login_refused:
      MailFailure(.loginRefused, place, "the server refuses the user or the password: \(reason)")
    default:
      MailFailure(
        (550...553).contains(code) ? .mailRefused : code == 0 ? .unreachable : .failed, place,
        "\(reason)\(code == 0 ? "" : ", code \(code)")")
    }
  }

  private static func withText<Value>(_ text: String?, _ work: (UnsafePointer<CChar>?) -> Value) -> Value {
    guard let text else { return work(nil) }
    return unsafe text.withCString { unsafe work($0) }
  }
}
