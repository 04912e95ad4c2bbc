package terminals_test

import (
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

func TestATerminalMovesAndItsHistoryStays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact  string
		after time.Duration
	}{
		{"a day later", 24 * time.Hour},
		{"in the same microsecond", 0},
		{"less than a microsecond later", 300 * time.Nanosecond},
		{"by a server whose clock is behind", -time.Second},
	}
	office := modelstest.NewOffice(t)
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			second, third := office.Branch(t).Store, office.Branch(t).Store
			now := o.Clock.Now()
			move := func(at time.Time, version int, to *models.Store) {
				t.Helper()
				o.Clock.Set(at)
				move := terminals.MoveInput{StoreID: to.ID, MerchantID: "M"}
				if err := o.Terminals.MoveTerminal(t.Context(), o.Admin, o.Terminal.ID, version, move); err != nil {
					t.Fatalf("MoveTerminal(%s) = %v", to.Code, err)
				}
			}
			move(now, 1, second)
			move(now.Add(tt.after), 2, third)
			o.Clock.Set(now.Add(48 * time.Hour))
			place, past, err := o.Terminals.History(t.Context(), o.Admin, o.Terminal.ID)
			if err != nil || place.StoreID != third.ID || len(past) != 3 {
				t.Fatalf("TerminalHistory() = %+v, %d assignments, %v, want store %d after 3", place, len(past), err, third.ID)
			}
			for i, want := range []int64{third.ID, second.ID, o.Store.ID} {
				if past[i].StoreID != want {
					t.Errorf("assignment %d = store %d, want %d", i, past[i].StoreID, want)
				}
				if i > 0 && !past[i].ValidTo.Equal(past[i-1].ValidFrom) {
					t.Errorf("assignment %d ends %s, want where the next begins, %s", i, past[i].ValidTo, past[i-1].ValidFrom)
				}
			}
		})
	}
}

func TestAMoveThatIsNone(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	move := func(version int, store int64, merchant string) error {
		return o.Terminals.MoveTerminal(t.Context(), o.Admin, o.Terminal.ID, version, terminals.MoveInput{StoreID: store, MerchantID: merchant})
	}
	same := "M" + string(o.Terminal.SerialNumber)
	if err := move(1, o.Store.ID, same); !modelstest.IsError(err, models.Invalid("store", "terminal.sameStore")) {
		t.Errorf("MoveTerminal() to where it is = %v, want terminal.sameStore", err)
	}
	if err := move(1, 999, same); !modelstest.IsError(err, models.Invalid("store", "store.unknown")) {
		t.Errorf("MoveTerminal() to no store = %v, want store.unknown", err)
	}
	if err := move(1, 0, same); !modelstest.IsError(err, models.Invalid("store", "store.required")) {
		t.Errorf("MoveTerminal() to nowhere = %v, want store.required", err)
	}
	if err := move(1, o.Store.ID, "a\nb"); !modelstest.IsError(err, models.Invalid("merchantId", "merchantId.invalid")) {
		t.Errorf("MoveTerminal() with a bad merchant id = %v, want merchantId.invalid", err)
	}
	if err := move(1, o.Store.ID, "OTHER"); err != nil {
		t.Errorf("MoveTerminal() under another merchant id = %v, want nil", err)
	}
	if err := o.Terminals.RetireTerminal(t.Context(), o.Admin, o.Terminal.ID, 2); err != nil {
		t.Fatalf("RetireTerminal() = %v", err)
	}
	if err := move(3, o.Store.ID, same); !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "terminal.retired"}) {
		t.Errorf("MoveTerminal() of a retired one = %v, want terminal.retired", err)
	}
	if err := o.Terminals.RelabelTerminal(t.Context(), o.Admin, 999, 1, "x"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("RelabelTerminal() of none = %v, want %v", err, models.ErrNotFound)
	}
}

func TestWhatATerminalNeeds(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	good := terminals.Input{SerialNumber: "1234567890", Label: "Caja", MerchantID: "M", StoreID: o.Store.ID}
	tests := []struct {
		fact   string
		change func(*terminals.Input)
		want   *models.Error
	}{
		{"ten digits", func(in *terminals.Input) { in.SerialNumber = "123" }, models.Invalid("serialNumber", "serial.invalid")},
		{"digits of its own", func(in *terminals.Input) {
			in.SerialNumber = string(o.Terminal.SerialNumber)
		}, models.Invalid("serialNumber", "serial.taken")},
		{"a label", func(in *terminals.Input) { in.Label = "" }, models.Invalid("label", "field.required")},
		{"a merchant id", func(in *terminals.Input) { in.MerchantID = "" }, models.Invalid("merchantId", "merchantId.invalid")},
		{"a store", func(in *terminals.Input) { in.StoreID = 0 }, models.Invalid("store", "store.required")},
		{"a store that there is", func(in *terminals.Input) { in.StoreID = 999 }, models.Invalid("store", "store.unknown")},
	}
	for _, tt := range tests {
		in := good
		tt.change(&in)
		_, err := o.Terminals.CreateTerminal(t.Context(), o.Admin, in)
		var got *models.Error
		if !errors.As(err, &got) || *got != *tt.want {
			t.Errorf("a terminal needs %s: CreateTerminal() = %v, want %v", tt.fact, err, tt.want)
		}
	}
}

func TestAHeaderCannotPreventTheEntry(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	who := o.Manager
	who.UserAgent, who.RequestID = "bad \xff\x00 agent", "\xfe"
	if err := o.Audit.Refused(t.Context(), who, "/audit"); err != nil {
		t.Errorf("Refused() = %v, want nil", err)
	}
}
