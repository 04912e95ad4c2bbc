package ui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/views/locale"
)

// FewStores is how many are offered in a select or as boxes to tick. Of more, one types
// the code or the name.
const FewStores = 12

// Fields that ask for stores, and the ending of the fields into which stores are typed
// for them: kit makes their ids of what was typed.
const (
	OneStore   = "store"
	RuleStore  = "addStore"
	ManyStores = "stores"
	Typed      = "Typed"
)

// TypedStore is text that was typed for a store and means none, or several.
type TypedStore struct {
	Text  string
	Means []models.Store
}

// maxMeant is how many of the stores that a text could mean are named.
const maxMeant = 4

// Says tells the person what is wrong with what they typed.
func (t TypedStore) Says(ctx context.Context) string {
	if len(t.Means) == 0 {
		return locale.T(ctx, "store.noneTyped", "Text", t.Text)
	}
	var labels []string
	for i := range t.Means[:min(len(t.Means), maxMeant)] {
		labels = append(labels, t.Means[i].Label())
	}
	return locale.T(ctx, "store.severalTyped", "Text", t.Text, "Stores", strings.Join(labels, ", "))
}

// StoreOptions offers the stores; first says what choosing none means.
func StoreOptions(ctx context.Context, stores []models.Store, first string) []Option {
	options := make([]Option, 0, len(stores)+1)
	if first != "" {
		options = append(options, Option{"", locale.T(ctx, first)})
	}
	for i := range stores {
		options = append(options, Option{Itoa(stores[i].ID), stores[i].Name + " (" + stores[i].Code + ")"})
	}
	return options
}

// typedStore is what stands in the box of one store: what was typed and means none, else
// the chosen store.
func (p Page) typedStore(name string, stores []models.Store, chosen int64) string {
	if wrong := p.TypedStores[name]; len(wrong) > 0 {
		return wrong[0].Text
	}
	if s := StoreOf(stores, chosen); s != nil {
		return s.Label()
	}
	return ""
}

// typedStores is what stands in the box of several: what means no store. The others are
// ticked.
func (p Page) typedStores() string {
	var texts []string
	for _, wrong := range p.TypedStores[ManyStores] {
		texts = append(texts, wrong.Text)
	}
	return strings.Join(texts, ", ")
}

// offered are the stores that can be ticked: all where there are few, else the chosen.
func offered(stores []models.Store, chosen []int64) []models.Store {
	if len(stores) <= FewStores {
		return stores
	}
	return slices.DeleteFunc(slices.Clone(stores), func(s models.Store) bool { return !slices.Contains(chosen, s.ID) })
}

// StoresPath is where the script reads the stores that can be typed.
const StoresPath = "/stores/names"

// storeBox are the attributes of a box of stores.
func storeBox(name string, wrong bool) templ.OrderedAttributes {
	a := templ.OrderedAttributes{
		{Key: "list", Value: "l-" + name},
		{Key: "data-stores", Value: StoresPath},
		{Key: "autocomplete", Value: "off"},
		{Key: "autocapitalize", Value: "characters"},
		{Key: "spellcheck", Value: "false"},
		{Key: "maxlength", Value: strconv.Itoa(MaxTyped)},
	}
	described := ""
	if name == ManyStores {
		described = "h-storesTyped"
	}
	if wrong {
		a = append(a, templ.KeyValue[string, any]{Key: "aria-invalid", Value: "true"})
		described = strings.TrimSpace(described + " e-" + name)
	}
	if described != "" {
		a = append(a, templ.KeyValue[string, any]{Key: "aria-describedby", Value: described})
	}
	return a
}

// MaxTyped is the longest text of a box of stores: some hundred codes.
const MaxTyped = 4000
