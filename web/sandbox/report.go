package sandbox

import (
	"cmp"
	"encoding/csv"
	"io"
	"net/http"
	"strings"
	"time"
)

// reportHeader has the column names of this provider's daily report.
var reportHeader = []string{
	"Número de orden", "Terminal", "Afiliación", "Operación", "Importe", "Fecha", "Hora", "Folio", "Autorización", "Tarjeta",
}

// getReport prints the daily report as a provider's download: a line for each sale
// of the day and one for each cancellation, as the terminals have them. ?date
// selects the day, ?zone its time zone (Mexico City's by default), ?until=15:04:05
// leaves out later lines.
func (s *Sandbox) getReport(w http.ResponseWriter, r *http.Request) {
	zone, day, until, err := s.reportSpan(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="reporte-`+day.Format(time.DateOnly)+`.csv"`)
	if err := s.writeReport(w, zone, day, until); err != nil {
		s.logger.Warn("report not written", "error", err)
		panic(http.ErrAbortHandler) // half a report must not look complete
	}
}

func (s *Sandbox) reportSpan(r *http.Request) (zone *time.Location, day, until time.Time, err error) {
	q := r.URL.Query()
	zone = mexicoCity
	if name := q.Get("zone"); name != "" {
		if zone, err = time.LoadLocation(name); err != nil {
			return zone, day, until, err
		}
	}
	day, err = time.ParseInLocation(time.DateOnly, cmp.Or(q.Get("date"), s.now().In(zone).Format(time.DateOnly)), zone)
	if err != nil {
		return zone, day, until, err
	}
	until = day.AddDate(0, 0, 1)
	if text := q.Get("until"); text != "" {
		clock, err := time.Parse(time.TimeOnly, text)
		if err != nil {
			return zone, day, until, err
		}
		until = time.Date(day.Year(), day.Month(), day.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0, zone)
	}
	return zone, day, until, nil
}

func (s *Sandbox) writeReport(w io.Writer, zone *time.Location, day, until time.Time) error {
	out := csv.NewWriter(w)
	if err := out.Write(reportHeader); err != nil {
		return err
	}
	for _, made := range s.registry.listSales("") {
		if made.SoldAt.Before(day) || !made.SoldAt.Before(until) {
			continue
		}
		operation := "VENTA"
		if made.Declined {
			operation = "DECLINADA"
		}
		if err := out.Write(s.reportLine(made, operation, made.SoldAt.In(zone))); err != nil {
			return err
		}
		if at := made.CanceledAt; at != nil && at.Before(until) {
			if err := out.Write(s.reportLine(made, "CANCELACIÓN", at.In(zone))); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (s *Sandbox) reportLine(made sale, operation string, at time.Time) []string {
	t, _ := s.registry.terminal(made.SerialNumber)
	code := decimal(6, made.OrderID, "A")
	if strings.HasPrefix(operation, "C") {
		code = decimal(6, made.OrderID, "V")
	}
	return []string{
		made.OrderID, made.SerialNumber, t.MerchantID, operation, made.Amount,
		at.Format("02/01/2006"), at.Format(time.TimeOnly), made.Folio, code, "****" + made.Last4,
	}
}
