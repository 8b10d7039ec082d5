import FleetAPI
import FleetOutbox

extension MailCounts {
  /// The counts of mails as metrics of the whole server.
  var metrics: [ServerMetric] {
    [
      ServerMetric("fleetstore_mails_sent_total", .counter, "Mails that the mail server accepted.", sent),
      ServerMetric("fleetstore_mail_failures_total", .counter, "Attempts to send a mail that failed.", failed),
      ServerMetric("fleetstore_mails_dropped_total", .counter, "Mails that were dropped.", dropped),
    ]
  }
}
