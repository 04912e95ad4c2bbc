package imports

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/intake"
)

// terminalsRun judges the rows of a file of terminals. There are at most some
// thousands: they stay in memory until they are written at once.
type terminalsRun struct {
	*pass
	calendar  models.Calendar
	stores    map[string]*importStore                // by code
	terminals map[models.SerialNumber]*knownTerminal // by serial number
	merchants map[string]models.SerialNumber         // which terminal has the merchant id
	blocked   map[string]bool                        // names that no page would show
	fresh     []terminalRow
}

// importStore is a store that rows name: an existing one, or one to be opened.
type importStore struct {
	id         int64 // 0: to be opened
	name, zone string
}

// knownTerminal is a terminal that is registered, or that an earlier row of the
// file registers.
type knownTerminal struct {
	Label, Code, Merchant string
}

func beginTerminals(_ context.Context, s *Service, p *pass) (run, error) {
	return &terminalsRun{
		pass: p, calendar: s.window().Calendar,
		stores: map[string]*importStore{}, terminals: map[models.SerialNumber]*knownTerminal{}, merchants: map[string]models.SerialNumber{},
		blocked: map[string]bool{},
	}, nil
}

// clear has nothing to do: a pass over terminals stores nothing for itself.
func (r *terminalsRun) clear(context.Context) error { return nil }

// judge compares rows with what is stored and with the rows before them.
func (r *terminalsRun) judge(ctx context.Context, rows []*Row) error {
	parsed, good := make([]terminalRow, len(rows)), make([]bool, len(rows))
	for i, row := range rows {
		parsed[i], good[i] = r.terminalRow(row)
	}
	if err := r.readKnown(ctx, parsed); err != nil {
		return err
	}
	for i, row := range rows {
		store := r.judgeStore(row, &parsed[i])
		if r.judgeFrom(row, &parsed[i]) && store && good[i] {
			r.judgeRow(row, &parsed[i])
		}
	}
	return nil
}

// judgeStore finds the row's store. An unknown one is opened when the row, or one
// before it, names it in full, even if something else is wrong with that row.
func (r *terminalsRun) judgeStore(row *Row, in *terminalRow) bool {
	if in.code == "" {
		return false
	}
	store := r.stores[in.code]
	switch {
	case store == nil && in.storeName == "":
		row.refuse("store", "terminalRow.unknownStore", in.code)
		return false
	case store == nil && !r.actor.May(models.ManageStores) && r.actor.Role != models.SystemRole:
		row.refuse("store", "error.forbidden", in.code)
		return false
	case store == nil && r.blocked[in.storeName]:
		row.refuse("storeName", "user.nameTaken", in.storeName)
		return false
	case store == nil:
		r.stores[in.code] = &importStore{name: in.storeName, zone: in.storeZone}
	case store.id == 0 && in.storeName != "" && (in.storeName != store.name || in.storeZone != store.zone):
		row.refuse("storeName", "terminalRow.storeTwice", in.storeName)
		return false
	case store.id != 0 && in.storeName != "" && in.storeName != store.name:
		row.Warnings = append(row.Warnings, "terminalRow.storeNameDiffers")
	}
	return true
}

func (r *terminalsRun) judgeRow(row *Row, in *terminalRow) {
	if known := r.terminals[in.serial]; known != nil {
		row.Status = intake.Known
		row.compare(in, known)
		return
	}
	if r.blocked[in.label] {
		row.refuse("label", "user.nameTaken", in.label)
		return
	}
	row.Status = intake.Created
	if other, taken := r.merchants[in.merchant]; taken && other != in.serial {
		row.Warnings = append(row.Warnings, "terminalRow.merchantShared")
	}
	if models.OddIdentifier(in.merchant) {
		row.Warnings = append(row.Warnings, "terminalRow.merchantOdd")
	}
	r.terminals[in.serial] = &knownTerminal{in.label, in.code, in.merchant}
	r.merchants[in.merchant] = in.serial
	r.fresh = append(r.fresh, *in)
}

// compare reports where a row contradicts the existing terminal: an import registers
// terminals, it does not move them.
func (r *Row) compare(in *terminalRow, known *knownTerminal) {
	if in.code != known.Code {
		r.differs("store", known.Code)
	}
	if in.merchant != known.Merchant {
		r.differs("merchantId", known.Merchant)
	}
	if r.Values[3] != "" && in.label != known.Label {
		r.differs("label", known.Label)
	}
}

// readKnown reads the stored stores, terminals and merchant ids of the rows.
func (r *terminalsRun) readKnown(ctx context.Context, rows []terminalRow) error {
	codes, serials, merchants := make([]string, len(rows)), make([]string, len(rows)), make([]string, len(rows))
	for i := range rows {
		codes[i], serials[i], merchants[i] = rows[i].code, string(rows[i].serial), rows[i].merchant
	}
	if err := r.readBlocked(rows); err != nil {
		return err
	}
	var stores []models.Store
	if err := r.Where("code IN ?", codes).Find(&stores).Error; err != nil {
		return fmt.Errorf("find stores: %w", err)
	}
	for i := range stores {
		r.stores[stores[i].Code] = &importStore{id: stores[i].ID, name: stores[i].Name, zone: stores[i].TimeZone}
	}
	// The store of a terminal, present or planned.
	known, err := database.TxRows[struct {
		SerialNumber models.SerialNumber
		Known        knownTerminal `gorm:"embedded"`
	}](ctx, r.pass.Tx, `SELECT t.serial_number, t.label, coalesce(s.code, '') AS code, coalesce(a.merchant_id, '') AS merchant
		FROM terminals t LEFT JOIN LATERAL (
			SELECT store_id, merchant_id FROM assignments WHERE terminal_id = t.id AND (valid_to IS NULL OR valid_to > $2)
			ORDER BY valid_from LIMIT 1) AS a ON true
		LEFT JOIN stores s ON s.id = a.store_id WHERE t.serial_number = ANY($1::text[])`, serials, r.now)
	if err != nil {
		return fmt.Errorf("find terminals: %w", err)
	}
	for i := range known {
		r.terminals[known[i].SerialNumber] = &known[i].Known
	}
	taken, err := database.TxRows[struct {
		MerchantID   string
		SerialNumber models.SerialNumber
	}](ctx, r.pass.Tx, `SELECT a.merchant_id, t.serial_number
		FROM assignments a JOIN terminals t ON t.id = a.terminal_id AND t.retired_at IS NULL
		WHERE a.merchant_id = ANY($1::text[]) AND (a.valid_to IS NULL OR a.valid_to > $2)`, merchants, r.now)
	if err != nil {
		return fmt.Errorf("find merchant ids: %w", err)
	}
	for _, m := range taken {
		r.merchants[m.MerchantID] = m.SerialNumber
	}
	return nil
}

// readBlocked finds those of the rows' names in which that of a person stands whom no page
// names any more.
func (r *terminalsRun) readBlocked(rows []terminalRow) error {
	names := make([]string, 0, 2*len(rows))
	for i := range rows {
		names = append(names, rows[i].label, rows[i].storeName)
	}
	blocked, err := audit.BlockedIn(r.pass.Tx, names...)
	for _, name := range blocked {
		r.blocked[name] = true
	}
	return err
}

// write opens the stores, registers the terminals and puts them into their stores,
// with three statements for the whole file.
func (r *terminalsRun) write(ctx context.Context) error {
	if err := r.openStores(ctx); err != nil {
		return err
	}
	n := len(r.fresh)
	serials, labels, merchants := make([]string, n), make([]string, n), make([]string, n)
	stores, froms := make([]int64, n), make([]time.Time, n)
	today := r.calendar.Day(r.now).Time(r.calendar.Zone())
	for i, in := range r.fresh {
		serials[i], labels[i], merchants[i], stores[i] = string(in.serial), in.label, in.merchant, r.stores[in.code].id
		if froms[i] = in.from; in.from.IsZero() {
			froms[i] = today
		}
	}
	done, err := r.SQL.ExecContext(ctx, `WITH told AS (
			SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[]) AS n(serial, label, merchant, store, since)
		), t AS (
			INSERT INTO terminals (serial_number, label, created_at, import_id) SELECT serial, label, $6, $7 FROM told ORDER BY serial
			ON CONFLICT DO NOTHING RETURNING id, serial_number)
		INSERT INTO assignments (terminal_id, store_id, merchant_id, valid_from, planned_at)
		SELECT t.id, store, merchant, since, CASE WHEN since > $6 THEN $6::timestamptz END
		FROM told JOIN t ON t.serial_number = told.serial`, serials, labels, merchants, stores, froms, r.now, r.imp.ID)
	if err != nil {
		return fmt.Errorf("register %d terminals of import %d: %w", n, r.imp.ID, err)
	}
	if written, err := done.RowsAffected(); err != nil || written != int64(n) {
		return cmp.Or(err, errImportRaced)
	}
	return r.recordTerminals(froms)
}

// openStores opens the new stores.
func (r *terminalsRun) openStores(ctx context.Context) error {
	var codes, names, zones []string
	asked := map[string]bool{}
	for _, in := range r.fresh {
		if s := r.stores[in.code]; s.id == 0 && !asked[in.code] {
			codes, names, zones = append(codes, in.code), append(names, s.name), append(zones, s.zone)
			asked[in.code] = true
		}
	}
	if len(codes) == 0 {
		return nil
	}
	opened, err := database.TxRows[models.Store](ctx, r.pass.Tx, `INSERT INTO stores (code, name, time_zone, created_at, import_id)
		SELECT code, name, zone, $4, $5 FROM unnest($1::text[], $2::text[], $3::text[]) AS n(code, name, zone) ORDER BY code
		ON CONFLICT DO NOTHING RETURNING id, code`, codes, names, zones, r.now, r.imp.ID)
	if err != nil {
		return fmt.Errorf("open %d stores of import %d: %w", len(codes), r.imp.ID, err)
	}
	if len(opened) != len(codes) {
		return errImportRaced
	}
	for i := range opened {
		r.stores[opened[i].Code].id = opened[i].ID
	}
	return r.recordStores(codes)
}
