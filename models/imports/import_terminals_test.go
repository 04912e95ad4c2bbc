package imports_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/imports"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

const terminalsHeader = "serialNumber,merchantId,store,label,from,storeName,timeZone\n"

// importTerminals imports a file of terminals as the command line does, and returns
// the remarks on its rows.
func importTerminals(tb testing.TB, o *modelstest.Office, dry bool, content string) (*imports.Import, []string, error) {
	tb.Helper()
	var said []string
	f := imports.FileImport{Kind: imports.OfTerminals, Name: "mapa.csv", DryRun: dry, Remark: func(r *imports.Row) {
		line := fmt.Sprintf("%d %s", r.Line, r.Status)
		for _, p := range r.Problems {
			line += " " + p.Column + ":" + p.Code
		}
		said = append(said, strings.Join(append([]string{line}, r.Warnings...), " "))
	}}
	imp, err := o.Imports.ImportFile(tb.Context(), models.System("command line", "ana"), f, strings.NewReader(content), int64(len(content)))
	return imp, said, err
}

func TestAMapIsImported(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	code := o.Store.Code
	file := "\uFEFFN.º de serie;Id. de comercio;Sucursal;Nombre;Desde;Nombre de la sucursal;Zona horaria\n" +
		"0149000001;M1;" + strings.ToLower(code) + ";Caja 1;;;\n" +
		"0149000002;M2;CUN-01;;20/11/2026 09:30;Cancún Centro;America/Cancun\n" +
		"0149000003;M3;CUN-01;Caja 2;2026-12-01;;\n" +
		"0149000004;M4;MTY-01;Caja 1;;Monterrey Sur;\n"
	for _, dry := range []bool{true, false} {
		imp, said, err := importTerminals(t, o, dry, file)
		if err != nil || len(said) > 0 || imp.NewCount != 4 {
			t.Fatalf("ImportFile(dry = %t) = %+v, %q, %v, want four new ones", dry, imp, said, err)
		}
		want := 4
		if dry {
			want = 0
		}
		if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM terminals WHERE import_id IS NOT NULL`); n != want {
			t.Fatalf("after a dry run = %t there are %d new terminals, want %d", dry, n, want)
		}
	}
	var got []string
	list, err := o.Terminals.Terminals(t.Context(), o.Admin, terminals.Filter{Query: "01490000"})
	if err != nil {
		t.Fatalf("Terminals() = %v", err)
	}
	for _, p := range list.Terminals {
		line := fmt.Sprintf("%s %s %s %q", p.SerialNumber, p.StoreName, p.MerchantID, p.Label)
		if p.Since != nil {
			line += " " + modelstest.Field(o, *p.Since)
		}
		if p.Plan != nil {
			line += " to " + p.Plan.StoreName + " " + modelstest.Field(o, p.Plan.ValidFrom)
		}
		got = append(got, line)
	}
	slices.Sort(got)
	modelstest.Equal(t, "terminals", got, []string{
		`0149000001 ` + o.Store.Name + ` M1 "Caja 1" 2026-11-20T00:00:00`,
		// Times without a zone are Cancún's own, an hour before Mexico City's.
		`0149000002 Cancún Centro M2 "Terminal 0002" 2026-11-20T08:30:00`,
		`0149000003   "Caja 2" to Cancún Centro 2026-11-30T23:00:00`,
		`0149000004 Monterrey Sur M4 "Caja 1" 2026-11-20T00:00:00`,
	})
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM stores
		WHERE code = 'MTY-01' AND time_zone = 'America/Mexico_City' OR code = 'CUN-01' AND time_zone = 'America/Cancun'`); n != 2 {
		t.Errorf("%d stores were opened as told, want 2", n)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'terminals.imported' AND on_behalf_of = 'ana'`); n != 1 {
		t.Errorf("%d entries of the import, want 1", n)
	}
	imp, _, err := importTerminals(t, o, false, file) // the same once more
	if err != nil || imp.KnownCount != 4 || imp.NewCount != 0 {
		t.Errorf("the same file again = %+v, %v, want four that are known", imp, err)
	}
}

func TestWrongRowsOfAMap(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	s, known := o.Store.Code, string(o.Terminal.SerialNumber)
	ramona := modelstest.User(t, o.DB, o.Clock.Now(), "ramona@example.mx", models.Manager, o.Store)
	modelstest.Exec(t, o.Owner, `INSERT INTO blocked_names VALUES ($1, 'Ramona Quiñones')`, ramona.ID)
	for _, tt := range []struct{ fact, row, want string }{
		{"nine digits", "149000001,M1," + s + ",Caja,,,", "2 refused serialNumber:serial.invalid"},
		{"eleven digits", "01490000011,M1," + s + ",Caja,,,", "2 refused serialNumber:serial.invalid"},
		{"letters", "S149000001,M1," + s + ",Caja,,,", "2 refused serialNumber:table.noDigits"},
		{"lost digits", "1.49E+09,M1," + s + ",Caja,,,", "2 refused serialNumber:table.lostDigits"},
		{"no serial number", ",M1," + s + ",Caja,,,", "2 refused serialNumber:serial.invalid"},
		{"no merchant id", "0149000001,," + s + ",Caja,,,", "2 refused merchantId:merchantId.invalid"},
		{"a long merchant id", "0149000001," + strings.Repeat("M", 251) + "," + s + ",Caja,,,", "2 refused merchantId:merchantId.invalid"},
		{"a label that no page would show", "0149000001,M1," + s + ",Caja de Ramona Quiñones,,,", "2 refused label:user.nameTaken"},
		{
			"a store's name that no page would show", "0149000001,M1,NUEVA-1,Caja,,Tienda Ramona Quiñones,",
			"2 refused storeName:user.nameTaken",
		},
		{"no store", "0149000001,M1,,Caja,,,", "2 refused store:storeCode.invalid"},
		{"a store that nobody knows", "0149000001,M1,NADIE-1,Caja,,,", "2 refused store:terminalRow.unknownStore"},
		{"a store that cannot be", "0149000001,M1,<b>,Caja,,,", "2 refused store:storeCode.invalid"},
		{"a long label", "0149000001,M1," + s + "," + strings.Repeat("x", 61) + ",,,", "2 refused label:field.tooLong"},
		{"no date", "0149000001,M1," + s + ",Caja,ayer,,", "2 refused from:table.noTime"},
		{"the month first", "0149000001,M1," + s + ",Caja,11/20/2026,,", "2 refused from:table.monthFirst"},
		{"a far date", "0149000001,M1," + s + ",Caja,2060-01-01,,", "2 refused from:instant.implausible"},
		{"no zone of the world", "0149000001,M1,NUEVA-1,Caja,,Nueva,Mars/Olympus", "2 refused timeZone:timeZone.invalid"},
		{
			"a zone and no name", "0149000001,M1,NUEVA-1,Caja,,,America/Cancun",
			"2 refused storeName:field.required store:terminalRow.unknownStore",
		},
		{"a card number", "0149000001,4111111111111111," + s + ",Caja,,,", "2 refused merchantId:table.cardNumber"},
		{"a formula", "0149000001,=1+1," + s + ",Caja,,,", "2 refused merchantId:table.formula"},
		{"too few fields", "0149000001,M1\n0149000002,M2," + s + ",,,,", "2 refused :table.tooFewFields"},
		{"several at once", "14,," + s + ",Caja,,,", "2 refused serialNumber:serial.invalid merchantId:merchantId.invalid"},
		{
			"one that is registered otherwise", known + ",OTHER," + s + ",Otra,,,",
			"2 conflict merchantId:terminalRow.differs label:terminalRow.differs",
		},
		{"one that stands elsewhere", known + ",M" + known + ",NUEVA-1,,,Nueva,", "2 conflict store:terminalRow.differs"},
		{
			"twice in the file, with other content", "0149000001,M1," + s + ",Caja,,,\n0149000001,M2," + s + ",Caja,,,",
			"3 conflict merchantId:terminalRow.differs",
		},
		{
			"a store named in two ways", "0149000001,M1,NUEVA-1,,,Nueva,\n0149000002,M2,NUEVA-1,,,Otra,",
			"3 refused storeName:terminalRow.storeTwice",
		},
	} {
		imp, said, err := importTerminals(t, o, false, terminalsHeader+tt.row+"\n")
		if !errors.Is(err, imports.ErrInvalid) {
			t.Errorf("%s = %+v, %v, want %v", tt.fact, imp, err, imports.ErrInvalid)
			continue
		}
		if len(said) != 1 || said[0] != tt.want {
			t.Errorf("%s: said %q, want %q", tt.fact, said, tt.want)
		}
	}
	left := modelstest.Count(t, o.Owner, `SELECT count(*) FROM terminals`) + modelstest.Count(t, o.Owner, `SELECT count(*) FROM stores`)
	if left != 2 {
		t.Errorf("after files with wrong rows there are %d terminals and stores, want the two there were", left)
	}
	for _, tt := range []struct{ fact, row, want string }{
		{"a merchant id of an odd shape", "0149000001,A;1," + s + ",Caja,,,", "2 created terminalRow.merchantOdd"},
		{"another's merchant id", "0149000001,M" + known + "," + s + ",Caja,,,", "2 created terminalRow.merchantShared"},
		{"another name of a known store", "0149000001,M1," + s + ",Caja,,Otro nombre,", "2 created terminalRow.storeNameDiffers"},
	} {
		_, said, err := importTerminals(t, o, true, terminalsHeader+tt.row+"\n")
		if err != nil || len(said) != 1 || said[0] != tt.want {
			t.Errorf("%s: said %q, %v, want %q", tt.fact, said, err, tt.want)
		}
	}
}

// TestAnImportedMapIsUndone while nothing depends on it.
func TestAnImportedMapIsUndone(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	inUse := &models.Error{Kind: models.KindConflict, Code: "import.terminalsInUse"}
	tests := []struct {
		fact string
		do   func(t *testing.T, o *modelstest.Office, serial models.SerialNumber, id int64)
		want error
	}{
		{"untouched", func(*testing.T, *modelstest.Office, models.SerialNumber, int64) {}, nil},
		{"it sold something", func(t *testing.T, o *modelstest.Office, serial models.SerialNumber, _ int64) {
			o.Post(o.SalePost(serial, 100))
		}, inUse},
		{"it was moved", func(t *testing.T, o *modelstest.Office, _ models.SerialNumber, id int64) {
			if err := o.Terminals.MoveTerminal(t.Context(), o.Admin, id, 1, terminals.MoveInput{StoreID: o.Store.ID, MerchantID: "M"}); err != nil {
				t.Fatalf("MoveTerminal() = %v", err)
			}
		}, inUse},
		{"somebody works in its store", func(t *testing.T, o *modelstest.Office, _ models.SerialNumber, id int64) {
			var store models.Store
			if err := o.Owner.QueryRow(`SELECT store_id FROM assignments WHERE terminal_id = $1`, id).Scan(&store.ID); err != nil {
				t.Fatal(err)
			}
			modelstest.User(t, o.DB, o.Clock.Now(), fmt.Sprintf("x%d@example.mx", id), models.Manager, &store)
		}, inUse},
	}
	for i, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			serial := fmt.Sprintf("99900000%02d", i)
			imp, said, err := importTerminals(t, o, false, terminalsHeader+fmt.Sprintf("%s,N%d,NEW-%d,Caja,,Nueva %d,\n", serial, i, i, i))
			if err != nil {
				t.Fatalf("ImportFile() = %+v, %q, %v", imp, said, err)
			}
			o.Clock.Advance(time.Minute)
			id := modelstest.Count(t, o.Owner, `SELECT id FROM terminals WHERE serial_number = $1`, serial)
			tt.do(t, o, models.SerialNumber(serial), int64(id))
			removed, err := o.Imports.UndoImport(t.Context(), o.Admin, imp.ID, modelstest.SaleDetail(t, o, imp.ID).Version)
			if tt.want == nil && (err != nil || removed != 1) || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("UndoImport() = %d, %v, want %v", removed, err, tt.want)
			}
			want, refusals := 2, 1
			if tt.want == nil {
				want, refusals = 0, 0
			}
			if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
				WHERE action = 'import.undone' AND outcome = 'failure' AND after->>'importId' = $1`, fmt.Sprint(imp.ID)); n != refusals {
				t.Errorf("%d entries of a refused undo, want %d", n, refusals)
			}
			if n := modelstest.Count(t, o.Owner, `SELECT (SELECT count(*) FROM terminals WHERE import_id = $1)
				+ (SELECT count(*) FROM stores WHERE import_id = $1)`, imp.ID); n != want {
				t.Errorf("%d of its terminals and stores are left, want %d", n, want)
			}
		})
	}
}

// TestAMerchantIsSetUp: 400 stores and 1,600 terminals from one file. It may
// take a slow machine a while, but not minutes.
func TestAMerchantIsSetUp(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	var b strings.Builder
	b.WriteString(terminalsHeader)
	for i := range 1600 {
		fmt.Fprintf(&b, "%010d,M%d,S-%03d,Caja %d,,Sucursal %d,\n", 7_000_000_000+i, i, i/4, i%4+1, i/4)
	}
	begun := time.Now()
	imp, said, err := importTerminals(t, o, false, b.String())
	if err != nil || imp.NewCount != 1600 {
		t.Fatalf("ImportFile() = %+v, %q, %v, want 1,600 new ones", imp, said, err)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("1,600 terminals took %s", took)
	} else {
		t.Logf("1,600 terminals in 400 stores took %s", took)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM assignments a
		JOIN stores s ON s.id = a.store_id WHERE s.import_id = $1`, imp.ID); n != 1600 {
		t.Errorf("%d of them stand in the new stores, want 1,600", n)
	}
}
