package sandbox

import "encoding/json"

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
