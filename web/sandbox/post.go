package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// post is the body that a terminal sends to the response URL: the documented fields
// with the documented oddities. Reprints lack the ticket's own fields.
type post struct {
	Affiliation      string          `json:"affiliation"`
	AID              string          `json:"aid"`
	Amount           string          `json:"amount"` // decimal of any scale
	ApplicationLabel string          `json:"applicationLabel"`
	ARQC             string          `json:"arqc"`
	AuthAmount       string          `json:"authAmount"`
	AuthCode         string          `json:"authCode"`
	BankName         string          `json:"bankName"`
	ModuleLote       string          `json:"moduleLote"`
	BIN              string          `json:"bin"`         // fictional; the receiver must drop it
	CardExpDate      string          `json:"cardExpDate"` // fictional; months first in sales, years first in cancellations
	CardNumber       string          `json:"cardNumber"`  // last four digits
	CardType         string          `json:"cardType"`
	CardTypeName     string          `json:"cardTypeName"`
	CityName         string          `json:"cityName"`
	ResponseCode     string          `json:"responseCode"`
	CustomerName     string          `json:"customerName"`
	FolioNumber      string          `json:"folioNumber"`
	HasPIN           bool            `json:"hasPin"`
	HexSign          string          `json:"hexSign"`
	HostRefNum       string          `json:"hostRefNum"`
	IsQPS            int             `json:"isQps"`
	IsRePrint        bool            `json:"isRePrint"`
	Message          string          `json:"message"`
	ModuleCharge     string          `json:"moduleCharge"`
	OrderID          string          `json:"orderId"`
	PreAuth          string          `json:"preAuth"`
	PreStatus        int             `json:"preStatus"`
	Promotion        string          `json:"promotion"`
	RePrintDate      string          `json:"rePrintDate"` // a version, despite its name
	RePrintMark      string          `json:"rePrintMark"`
	ReprintModule    string          `json:"reprintModule"` // C even when the sale was just canceled
	RRNNumber        string          `json:"rrnNumber"`
	SpanRoute        string          `json:"spanRoute"`
	StoreID          string          `json:"storeId"`
	TerminalID       string          `json:"terminalId"` // the serial number
	Traceability     json.RawMessage `json:"traceability"`
	TransType        string          `json:"transType"` // A sale, V cancellation, "" abandoned
	*ticket
}

// ticket has the fields that only a printed transaction has.
type ticket struct {
	StoreName              string `json:"storeName"`
	StreetName             string `json:"streetName"`
	TicketDate             string `json:"ticketDate"` // with a trailing space
	TipAmount              string `json:"tipAmount"`
	TipLessAmount          string `json:"tipLessAmount"`
	TransDate              string `json:"transDate"`
	TransactionCertificate string `json:"transactionCertificate"`
	TransactionID          string `json:"transactionId"`
}

// charge sets every field that repeats the amount.
func (p *post) charge(amount cents) {
	p.Amount, p.AuthAmount = amount.odd(), amount.odd()
	if p.ticket != nil {
		p.TipLessAmount = amount.odd()
	}
}

// brand is what a terminal reports about a kind of card. All of it is fictional
// except the application ids.
type brand struct{ aid, bin, bank string }

var brands = map[string]brand{
	"VISA":       {"A0000000032010", "400012", "BANCO DEMO"},
	"MASTERCARD": {"A0000000041010", "510012", "BANCO PRUEBA"},
	"AMEX":       {"A00000002501", "370012", "AMEX"},
	"CARNET":     {"A0000007241010", "506212", "BANCO DEMO"},
}

const terminalVersion = "2.1.p.p_20250626"

var noTraceability = json.RawMessage("{}")

// basePost fills the fields of every post about a sale. Codes derive from the order
// number, so that an inquiry returns the same ones as the sale's post.
func basePost(t terminal, s sale, traceability json.RawMessage) post {
	b := brands[s.CardBrand]
	reference := decimal(12, s.OrderID, "reference")
	p := post{
		Affiliation: t.MerchantID, AID: b.aid, ApplicationLabel: b.bank + " " + s.CardBrand,
		ARQC: strings.ToUpper(digest(s.OrderID, "arqc")[:16]), AuthCode: decimal(6, s.OrderID, "A"), BankName: b.bank,
		ModuleLote: "1", BIN: b.bin, CardExpDate: "11/29", CardNumber: s.Last4, CardType: "D", CardTypeName: s.CardBrand,
		CityName: t.City, ResponseCode: approved.code, CustomerName: " ", FolioNumber: s.Folio, HasPIN: true,
		HostRefNum: reference, Message: approved.message, ModuleCharge: "5", OrderID: s.OrderID, PreAuth: "0", Promotion: "00",
		RePrintDate: terminalVersion, RePrintMark: s.CardBrand, ReprintModule: "C", RRNNumber: reference, SpanRoute: s.Last4,
		StoreID: t.MerchantID, TerminalID: t.SerialNumber, Traceability: traceability, TransType: "A",
	}
	p.charge(s.amount())
	return p
}

// print adds the printed ticket's fields.
func (p *post) print(t terminal, s sale, at time.Time) {
	id := strings.ToUpper(digest(s.OrderID, p.TransType, "id"))
	p.ticket = &ticket{
		StoreName: t.StoreName, StreetName: t.Street, TicketDate: ticketDate(at), TipAmount: "0.0",
		TransDate:     transDate(at.Add(time.Second)),
		TransactionID: fmt.Sprintf("%s-%s-%s-%s-%s", id[:8], id[8:12], id[12:16], id[16:20], id[20:32]),
	}
	p.charge(s.amount())
}

// salePost reports a sale: approved, or declined by the bank.
func salePost(t terminal, s sale) post {
	p := basePost(t, s, noTraceability)
	p.print(t, s, s.SoldAt)
	p.TransactionCertificate = strings.ToUpper(digest(s.OrderID, "certificate")[:16])
	if s.Declined {
		p.ResponseCode, p.Message, p.AuthCode, p.ReprintModule = declined.code, declined.message, "", "D"
	}
	return p
}

// cancelPost reports a cancellation: done when v is approved, else refused.
func cancelPost(t terminal, s sale, v verdict, at time.Time, traceability json.RawMessage) post {
	p := basePost(t, s, traceability)
	p.TransType, p.ModuleCharge = "V", "6"
	p.print(t, s, at)
	p.ResponseCode, p.Message = v.code, v.message
	p.BIN, p.CardExpDate, p.CustomerName = "", "29/11", "null"
	p.AuthCode = decimal(6, s.OrderID, "V")
	if v != approved {
		p.AuthCode, p.ReprintModule = "", ""
	}
	return p
}

// reprintPost reports a sale's state: C still charged, V canceled, D declined.
func reprintPost(t terminal, s sale, known bool, o order, refused bool) post {
	p := basePost(t, orBlank(s, known, o), o.Traceability)
	p.IsRePrint, p.FolioNumber, p.Message = true, "", "Transaccion Valida"
	switch {
	case !known:
		p.ResponseCode, p.Message, p.ReprintModule, p.TransType = unknownOrder.code, unknownOrder.message, "", ""
	case refused:
		p.ResponseCode, p.Message, p.ReprintModule = declined.code, declined.message, ""
	case s.ReprintModule != "":
		p.ReprintModule = s.ReprintModule
	case s.CanceledAt != nil:
		p.ReprintModule, p.TransType, p.Message = "V", "V", "Transaccion Cancelada"
	case s.Declined:
		p.ReprintModule = "D"
	}
	return p
}

// abandonedPost reports that the user left the screen. It has no order number and no
// transaction type, only the folio and the traceability.
func abandonedPost(t terminal, s sale, at time.Time, traceability json.RawMessage) post {
	return post{
		Affiliation: t.MerchantID, Amount: "0.00", AuthAmount: "0.00", ModuleLote: "1", CityName: t.City,
		ResponseCode: "02", FolioNumber: s.Folio, Message: "Cancelado por el Usuario", ModuleCharge: "0", PreAuth: "0",
		RePrintDate: terminalVersion, StoreID: t.MerchantID, TerminalID: t.SerialNumber, Traceability: traceability,
		ticket: &ticket{
			StoreName: t.StoreName, StreetName: t.Street, TicketDate: ticketDate(at), TipAmount: "0.00", TipLessAmount: "0.00",
		},
	}
}

// digest is 64 hexadecimal digits that depend on all parts.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// decimal is n decimal digits that depend on all parts.
func decimal(n int, parts ...string) string {
	text := []byte(digest(parts...)[:n])
	for i, c := range text {
		if c > '9' {
			text[i] = '0' + c - 'a'
		}
	}
	return string(text)
}
