package api_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/modelstest"
	"veinte/models/webhooks"
)

// constantsOf are the values of a file's constants of a type.
func constantsOf(t *testing.T, path, kind string) (values []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == kind {
			for _, v := range spec.Values {
				text, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, text)
			}
		}
		return true
	})
	return values
}

// TestEveryEventIsDocumented: each type that the code has is in the document, and no other.
func TestEveryEventIsDocumented(t *testing.T) {
	t.Parallel()
	want := constantsOf(t, "../../models/webhooks/event.go", "EventType")
	for _, kind := range constantsOf(t, "../../models/result.go", "ResultKind") {
		want = append(want, "result."+kind)
	}
	if len(want) < 19 {
		t.Fatalf("the code has the types %q, want at least the nineteen that there are", want)
	}
	slices.Sort(want)
	documented := newDesk(t).book.doc["webhooks"].(map[string]any)
	if got := slices.Sorted(maps.Keys(documented)); !slices.Equal(got, want) {
		t.Errorf("documented are %q, want %q", got, want)
	}
}

// TestEventsAreAsDocumented holds what is really sent against the document.
func TestEventsAreAsDocumented(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	endpoint, _, err := d.Deliveries.CreateEndpoint(t.Context(), d.Admin, webhooks.Input{
		Kind: webhooks.WebhookEndpoint, Name: "ERP", URL: "https://erp.example/hook", Events: webhooks.WebhookEvents, AllStores: true,
	})
	d.must(err)
	a := modelstest.AlertsOf(t, d.Office)
	modelstest.SetRule(t, d.Office, a, alerts.AlertDoubt, func(in *alerts.RuleInput) { in.Webhook = true })
	for _, state := range models.States {
		if state != models.Sending { // which each one that is sent passes through
			d.Branch(t).StateOf(state)
		}
	}
	d.CancelByHand(d.Sale(12050)) // raises a conflict
	modelstest.Doubt(time.Hour)(t, d.Office)
	modelstest.Watch(t, d.Office, a)
	modelstest.CloseDay(t, d.Office, 0)
	_, err = d.Deliveries.SendTest(t.Context(), d.Admin, endpoint.ID)
	d.must(err)
	seen := map[string]int{}
	rows, err := d.Owner.Query(`SELECT event, payload FROM deliveries`)
	d.must(err)
	defer rows.Close()
	for rows.Next() {
		var event, payload string
		d.must(rows.Scan(&event, &payload))
		seen[event]++
		place := []string{"webhooks", event, "post", "requestBody", "content", "application/json", "schema"}
		if err := d.book.valid(place, []byte(payload)); err != nil {
			t.Errorf("%s is not as documented: %v", event, err)
		}
		var fields map[string]any
		if d.must(json.Unmarshal([]byte(payload), &fields)); len(fields) != 3 {
			t.Errorf("%s has other fields than the document: %s", event, payload)
		}
	}
	d.must(rows.Err())
	for _, event := range append(slices.Clone(webhooks.WebhookEvents), webhooks.EventTest) {
		if seen[string(event)] == 0 {
			t.Errorf("no %s was sent: nothing holds its body", event)
		}
	}
}
