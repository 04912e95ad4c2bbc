package words

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/views/ui"
)

// AuditNames say who and what the numbers in an entry are. A nil one knows none.
type AuditNames struct {
	Stores, People map[int64]string
	Terminals      map[string]string // what people call them, by serial number
	zone           *time.Location
}

func NewAuditNames(stores []models.Store, people []Person, zone *time.Location) *AuditNames {
	n := &AuditNames{Stores: map[int64]string{}, People: map[int64]string{}, zone: zone}
	for i := range stores {
		n.Stores[stores[i].ID] = stores[i].Name
	}
	for _, p := range people {
		n.People[p.ID] = p.Name
	}
	return n
}

// storeFields and personFields hold numbers of stores and of people.
var (
	storeFields  = map[string]bool{"storeId": true, "stores": true, "storeIds": true}
	personFields = map[string]bool{"actorId": true, "personId": true}
)

// number words a number of a field: an amount, a store, a time that it takes.
func (n *AuditNames) number(name string, x float64) string {
	switch {
	case name == "amount" || name == "amountCentavos" || name == "seenAmount":
		return ui.Money(models.Money(x))
	case n != nil && storeFields[name] && n.Stores[int64(x)] != "":
		return n.Stores[int64(x)]
	case n != nil && personFields[name] && n.People[int64(x)] != "":
		return n.People[int64(x)]
	}
	number := strings.TrimSuffix(strconv.FormatFloat(x, 'f', 2, 64), ".00")
	if strings.HasSuffix(name, "Seconds") {
		number += " s"
	}
	return number
}

// value words a value of a field, on one line.
func (n *AuditNames) value(ctx context.Context, name string, v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case bool:
		return YesNo(ctx, x)
	case float64:
		return n.number(name, x)
	case []any:
		parts := make([]string, len(x))
		for i := range x {
			parts[i] = n.value(ctx, name, x[i])
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		parts := make([]string, 0, len(x))
		for _, field := range slices.Sorted(maps.Keys(x)) {
			text := n.value(ctx, wordedAs(name, field), x[field])
			if strings.HasSuffix(name, "Receipts") {
				text = ReceiptValue(ctx, x[field])
			}
			parts = append(parts, FieldWord(ctx, name, field)+": "+text)
		}
		return strings.Join(parts, " · ")
	case string:
		return n.Text(ctx, name, x)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// Text words a text of a field: a day, an instant, a zone, a code that we know.
func (n *AuditNames) Text(ctx context.Context, name, text string) string {
	if d, err := models.ParseDay(text); err == nil && len(text) == len("2006-01-02") {
		return ui.Day(ctx, d)
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil && n != nil && n.zone != nil {
		return ui.DateTime(ctx, at, n.zone)
	}
	if (name == "timeZone" || name == "zone") && text != "" {
		return ui.ZoneName(ctx, text)
	}
	if m, err := models.ParseMoney(text); err == nil && (name == "min" || name == "max") {
		return ui.Money(m)
	}
	return textValue(ctx, name, text)
}

// wordedAs is the field whose words a value has: its own, or that of the object
// which holds it, where the names within are anybody's.
func wordedAs(within, name string) string {
	if _, known := valueWords[name]; !known && within != "" && valueWords[within] != nil {
		return within
	}
	return name
}
