package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestBodies sends every body that is none.
func TestBodies(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	good := d.sale("ORDER-1")
	many := func(n int) string { return "[" + strings.Repeat("1,", n-1) + "1]" }
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	for fact, tt := range map[string]struct {
		body   string
		status int
		code   string
		says   string
	}{
		"nothing":                       {" ", 400, "malformed", "vacío"},
		"half":                          {good[:len(good)-5], 400, "malformed", "renglón 1, columna"},
		"two":                           {good + good, 400, "malformed", "columna"},
		"garbage behind":                {good + " x", 400, "malformed", "columna"},
		"a comma behind":                {"[" + good + ",]", 400, "malformed", "columna"},
		"a comment":                     {"// sale\n" + good, 400, "malformed", "renglón 1"},
		"a mistake on the third line":   {"{\n\"orderId\": \"1\",\n\"amount\": 'x'}", 400, "malformed", "renglón 3"},
		"another alphabet":              {"{\"orderId\":\"\xff\"}", 400, "malformed", "UTF-8"},
		"NUL as it is":                  {"{\"orderId\":\"a\x00b\"}", 400, "malformed", "columna"},
		"a BOM":                         {"\ufeff" + good, 400, "malformed", "columna 1"},
		"a text":                        {`"sale"`, 422, "validation", "una venta"},
		"a number":                      {`12`, 422, "validation", "una venta"},
		"null":                          {`null`, 422, "validation", "una venta"},
		"an empty list":                 {`[ ]`, 422, "validation", "vacía"},
		"a thousand and one":            {many(1001), 413, "too-large", "1,000"},
		"a list of lists, very deep":    {deep, 200, "", ""},
		"deeper than anybody reads":     {strings.Repeat("[", 20000) + strings.Repeat("]", 20000), 400, "malformed", "columna"},
		"an object within, very deep":   {`{"orderId":` + deep + `}`, 422, "validation", ""},
		"an amount that is a number":    {d.sale("O", "amount", "1250.00"), 422, "validation", "comillas"},
		"an amount with an exponent":    {d.sale("O", "amount", "1e3"), 422, "validation", "comillas"},
		"a field that there is not":     {d.sale("O", "ammount", `"1"`), 422, "validation", "No hay un campo"},
		"a field in another case":       {d.sale("O", "Amount", `"1"`), 422, "validation", "mayúsculas"},
		"NUL, escaped":                  {d.sale("O", "folio", `"a\u0000b"`), 422, "validation", "caracteres"},
		"half a character":              {d.sale("O", "folio", `"a\ud800b"`), 422, "validation", "caracteres"},
		"null for a field":              {d.sale("O", "folio", `null`), 422, "validation", "omite"},
		"true for a field":              {d.sale("O", "last4", `true`), 422, "validation", "comillas"},
		"a card number":                 {d.sale("O", "reference", `"4111 1111 1111 1111"`), 422, "validation", "tarjeta"},
		"a card number as digits":       {d.sale("O", "last4", `4111111111111111`), 422, "validation", "comillas"},
		"a card number for four digits": {d.sale("O", "last4", `"4111111111111111"`), 422, "validation", "cuatro"},
		"a card number for a name":      {d.sale("O", "4111111111111111", `"1"`), 422, "validation", "No hay un campo"},
		"two card numbers in a long field": {
			d.sale("O", "orderId", `"4111111111111111 `+strings.Repeat("x", 100)+`"`), 422, "validation", "",
		},
	} {
		a := p.post("/api/v1/sales", tt.body)
		if a.status != tt.status {
			t.Errorf("%s = %d, want %d: %s", fact, a.status, tt.status, a.body)
			continue
		}
		if tt.code != "" {
			if got := a.problem(tt.status, tt.code); !strings.Contains(got.Detail, tt.says) {
				t.Errorf("%s: %q, want %q in it", fact, got.Detail, tt.says)
			}
		}
	}
	if n := d.count("SELECT count(*) FROM sales"); n != 0 {
		t.Errorf("sales = %d, want none", n)
	}
}

func TestFieldsAreNamedAllAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	body := `{"serialNumber":"149","amount":1250.5,"orderId":"X","orderId":"Y","folio":["a"],"soldat":"now"}`
	got := p.post("/api/v1/sales", body).problem(http.StatusUnprocessableEntity, "validation")
	if want := "body.amount:amount.notText body.orderId:api.field.twice body.folio:api.field.notText " +
		"body.soldat:api.field.unknown"; places(got.Errors) != want {
		t.Errorf("errors = %s, want %s", places(got.Errors), want)
	}
	if got.Errors[0].Value != "1250.5" || got.Errors[1].Value != "" {
		t.Errorf("values = %+v, want what was sent", got.Errors)
	}
	got = p.post(
		"/api/v1/sales", `{"serialNumber":"149","orderId":"`+strings.Repeat("x", 251)+`"}`,
	).problem(http.StatusUnprocessableEntity, "validation")
	if want := "body.orderId:field.tooLong body.amount:field.required body.soldAt:field.required " +
		"body.serialNumber:serial.invalid"; places(got.Errors) != want {
		t.Errorf("errors = %s, want %s", places(got.Errors), want)
	}
	if value := got.Errors[0].Value; len([]rune(value)) != 41 || !strings.HasSuffix(value, "…") {
		t.Errorf("a long value is repeated as %q, want it cut", value)
	}
}

func TestHeadersOfBodies(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	body := d.sale("ORDER-1")
	p.post("/api/v1/sales", body, "Content-Type", "text/plain").problem(415, "unsupported-media-type")
	p.post("/api/v1/sales", body, "Content-Type", "").problem(415, "unsupported-media-type")
	p.post("/api/v1/sales", body, "Content-Type", "application/x-www-form-urlencoded").problem(415, "unsupported-media-type")
	p.post("/api/v1/sales", body, "Content-Encoding", "gzip").problem(415, "unsupported-media-type")
	p.post("/api/v1/sales", "["+strings.Repeat(" ", 2<<20)+body+"]").problem(413, "too-large")
	p.post("/api/v1/sales?dryRun=true", body).problem(422, "validation")
	p.post("/api/v1/sales?allOrNothing=true&allOrNothing=true", body).problem(422, "validation")
	p.post("/api/v1/sales", body, "Content-Type", "application/json; charset=utf-8").want(201)
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	for language, want := range map[string]string{
		"": "El monto va como texto", "es-MX": "El monto va como texto", "en-GB,en": "The amount is a text",
		"de": "El monto va como texto",
	} {
		a := p.post("/api/v1/sales", d.sale("O", "amount", "1"), "Accept-Language", language, "Cookie", "veinte_language=en")
		if got := a.problem(422, "validation"); !strings.Contains(got.Detail, want) {
			t.Errorf("Accept-Language %q: %q, want %q", language, got.Detail, want)
		}
	}
}
