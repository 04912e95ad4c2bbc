package api

import (
	"errors"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api/scan"
	"veinte/handlers/api/shapes"
	"veinte/models"
)

// maxItems is the maximum number of sales in one request.
const maxItems = 1000

// reportedSales is the body of POST /api/v1/sales.
type reportedSales struct {
	items  []reportedSale
	single bool // sent by itself, not in a list
}

// reportedSale is one reported sale, with the errors in its shape.
type reportedSale struct {
	models.SaleInput
	storeIDName string // the one of the two names by which the storeId was given
	errors      []shapes.FieldError
}

// errSyntax is an error of a body as a whole.
type errSyntax struct{ *scan.SyntaxError }

// Unwrap returns the error that the trail names.
func (e *errSyntax) Unwrap() error { return errWritten }

// newScanner reads a body that is JSON, whole and nothing but.
func newScanner(body []byte) (*scan.Scanner, error) {
	s, err := scan.New(body)
	var syntax *scan.SyntaxError
	if errors.As(err, &syntax) {
		return nil, &errSyntax{syntax}
	}
	return s, err
}

// readSales reads one sale or a list of them. An error in one item of a list refuses
// that item; an error in the body as a whole refuses all.
func (a *API) readSales(c *fiber.Ctx, body []byte) (*reportedSales, error) {
	s, err := newScanner(body)
	if err != nil {
		return nil, err
	}
	switch s.Kind() {
	case '{':
		sales := &reportedSales{single: true, items: make([]reportedSale, 1)}
		a.readSale(c, s, &sales.items[0], "body")
		return sales, nil
	case '[':
		return a.readList(c, s)
	}
	return nil, a.invalid(c, a.fieldError(c, models.Invalid("", "api.body.notSale"), "body", ""))
}

func (a *API) readList(c *fiber.Ctx, s *scan.Scanner) (*reportedSales, error) {
	sales := &reportedSales{}
	n := 0
	s.Array(func() {
		if n++; n > maxItems {
			s.Skip()
			return
		}
		sales.items = append(sales.items, reportedSale{})
		item, at := &sales.items[n-1], "body["+strconv.Itoa(n-1)+"]"
		if s.Kind() == '{' {
			a.readSale(c, s, item, at)
			return
		}
		s.Skip()
		item.errors = append(item.errors, a.fieldError(c, models.Invalid("", "api.item.notSale"), at, ""))
	})
	switch {
	case n == 0:
		return nil, a.invalid(c, a.fieldError(c, models.Invalid("", "api.body.noItems"), "body", ""))
	case n > maxItems:
		p := a.of(c, kindTooLarge, "api.body.tooMany")
		p.cause = errWritten
		p.Errors = []shapes.FieldError{a.fieldError(c, models.Invalid("", "api.body.tooMany"), "body", strconv.Itoa(n))}
		return nil, p
	}
	return sales, nil
}

// readSale reads an object. Every mistake is named, and none hides another.
func (a *API) readSale(c *fiber.Ctx, s *scan.Scanner, item *reportedSale, at string) {
	read := textFields{api: a, c: c, at: at, seen: map[string]bool{}}
	var storeID string
	read.object(s, func(name string) *string {
		if name == newStoreID {
			return &storeID
		}
		return item.Field(name)
	})
	switch item.storeIDName = newStoreID; {
	case !read.seen[newStoreID] && read.seen[oldStoreID]:
		item.storeIDName = oldStoreID
	case read.seen[oldStoreID] && storeID != item.MerchantID:
		read.wrong(newStoreID, errTwoStoreIDs.Code, "")
	default:
		item.MerchantID = storeID
	}
	item.errors = read.errors
}

// bodyObject is a body that is one object.
func (a *API) bodyObject(c *fiber.Ctx, body []byte) (*scan.Scanner, error) {
	s, err := newScanner(body)
	if err == nil && s.Kind() != '{' {
		err = a.invalid(c, a.fieldError(c, models.Invalid("", "api.body.notObject"), "body", ""))
	}
	return s, err
}

// textFields reads an object whose fields are texts.
type textFields struct {
	api    *API
	c      *fiber.Ctx
	at     string
	seen   map[string]bool
	flag   *bool   // where the one field that is no text belongs; nil when there is none
	flagIs string  // its name
	raw    *[]byte // where the one field that is an object belongs, as it is written; nil when there is none
	rawIs  string  // its name
	errors []shapes.FieldError
}

func (f *textFields) object(s *scan.Scanner, field func(string) *string) {
	s.Object(func(name string) {
		into := field(name)
		switch {
		case f.seen[name]:
			s.Skip()
			f.wrong(name, "api.field.twice", "")
		case f.flag != nil && name == f.flagIs:
			f.boolean(s, name)
		case f.raw != nil && name == f.rawIs:
			f.asWritten(s, name)
		case into == nil:
			s.Skip()
			f.unknown(name)
		case s.Kind() != '"':
			f.notText(name, s.Kind(), s.Skip())
		default:
			text, ok := s.Text()
			if *into = text; !ok {
				f.wrong(name, "field.invalidText", "")
			}
		}
		f.seen[name] = true
	})
}

func (f *textFields) wrong(name, code, value string) {
	f.errors = append(f.errors, f.api.fieldError(f.c, models.Invalid(name, code), f.at, value))
}

// unknown refuses a field by its name: a misspelt one must not silently be none.
func (f *textFields) unknown(name string) {
	shown := echoed(name)
	if shown == "" {
		shown = "?"
	}
	f.wrong(shown, "api.field.unknown", "")
}

// notText refuses a value of another kind. Money is a text because a JSON number may
// be read as binary floating point, which can change the amount.
func (f *textFields) notText(name string, kind byte, raw []byte) {
	code, value := "api.field.notText", ""
	switch kind {
	case 't', 'f', 'n':
		value = string(raw)
	case '{', '[':
	default:
		value = echoed(string(raw))
		if name == "amount" {
			code = "amount.notText"
		}
	}
	f.wrong(name, code, value)
}

// asWritten takes an object as it is written; who needs it checks what is inside.
func (f *textFields) asWritten(s *scan.Scanner, name string) {
	kind, raw := s.Kind(), s.Skip()
	if kind != '{' {
		f.wrong(name, "traceability.notObject", "")
		return
	}
	*f.raw = raw
}

func (f *textFields) boolean(s *scan.Scanner, name string) {
	kind := s.Kind()
	s.Skip()
	if kind != 't' && kind != 'f' {
		f.wrong(name, "api.boolean", "")
		return
	}
	*f.flag = kind == 't'
}
