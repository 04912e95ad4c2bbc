package handlers

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/reconciliation"
	"veinte/models/reconciliation/report"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

// listReportProfiles answers GET /settings/reconciliation.
func (h *Handlers) listReportProfiles(c *fiber.Ctx) error {
	profiles, err := h.Reconciliation.ReportProfiles(c.UserContext(), actor(c))
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, exchangeview.ReportProfiles(&exchangeview.ReportProfilesView{Page: h.page(c), Profiles: profiles}))
}

// newReportProfile answers GET /settings/reconciliation/new.
func (h *Handlers) newReportProfile(c *fiber.Ctx) error {
	form := exchangeview.ProfileForm{
		Amounts: report.AmountsPoint, Dates: report.DatesDayMonthYear, Zone: h.Rules.Window().Calendar.Zone().String(),
	}
	return render(c, fiber.StatusOK, exchangeview.ReportProfile(&exchangeview.ReportProfileView{Page: h.page(c), Form: form}))
}

// showReportProfile answers GET /settings/reconciliation/:id.
func (h *Handlers) showReportProfile(c *fiber.Ctx) error {
	v, err := h.profileView(c)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, exchangeview.ReportProfile(v))
}

// profileView reads the profile of the path as it stands.
func (h *Handlers) profileView(c *fiber.Ctx) (*exchangeview.ReportProfileView, error) {
	id, err := paramID(c)
	if err != nil {
		return nil, err
	}
	p, err := h.Reconciliation.ReportProfile(c.UserContext(), actor(c), id)
	if err != nil {
		return nil, err
	}
	form := formOf(p.Mapping)
	form.Name, form.Version = p.Name, p.Version
	return &exchangeview.ReportProfileView{Page: h.page(c), ID: id, Retired: p.RetiredAt != nil, SetBy: p.SetBy, Form: form}, nil
}

// formOf shows a mapping in the form.
func formOf(m report.Mapping) exchangeview.ProfileForm {
	f := exchangeview.ProfileForm{
		Columns: m.Columns, NegativeCancels: m.NegativeCancels, OneLine: m.OneLine,
		Amounts: m.Amounts, Dates: m.Dates, Zone: m.Zone, Cut: m.CompleteUntil,
	}
	for _, word := range slices.Sorted(maps.Keys(m.Words)) {
		f.Words = append(f.Words, exchangeview.ProfileWord{Word: word, Meaning: string(m.Words[word])})
	}
	slices.SortStableFunc(f.Words, func(a, b exchangeview.ProfileWord) int {
		return cmp.Compare(slices.Index(report.Meanings, report.Meaning(a.Meaning)), slices.Index(report.Meanings, report.Meaning(b.Meaning)))
	})
	return f
}

// mostFormWords is how many words a form may bring.
const mostFormWords = 70

// readProfileForm reads what was entered, by the name of each field.
func readProfileForm(field func(name string) string) exchangeview.ProfileForm {
	f := exchangeview.ProfileForm{
		Name: clip(field("name"), 400), Columns: map[report.Field]string{},
		NegativeCancels: field("negativeCancels") == "on", OneLine: field("oneLine") == "on",
		Amounts: report.AmountStyle(field("amounts")), Dates: report.DateStyle(field("dates")),
		Zone: clip(field("zone"), 80), Cut: clip(field("cut"), 20),
	}
	f.Version, _ = strconv.Atoi(field("version"))
	for _, column := range report.Fields {
		if name := strings.TrimSpace(clip(field(string(column)), 480)); name != "" {
			f.Columns[column] = name
		}
	}
	for n := range mostFormWords {
		word, meaning := strings.TrimSpace(clip(field("word-"+strconv.Itoa(n)), 480)), field("meaning-"+strconv.Itoa(n))
		if word != "" {
			f.Words = append(f.Words, exchangeview.ProfileWord{Word: word, Meaning: meaning})
		}
	}
	return f
}

// mappingOf is what the form says. A word twice, or one without a meaning, is
// refused by whoever checks the mapping.
func mappingOf(f *exchangeview.ProfileForm) (report.Mapping, error) {
	m := report.Mapping{
		Columns: f.Columns, Words: map[string]report.Meaning{}, NegativeCancels: f.NegativeCancels, OneLine: f.OneLine,
		Amounts: f.Amounts, Dates: f.Dates, Zone: f.Zone, CompleteUntil: f.Cut,
	}
	for _, w := range f.Words {
		if _, twice := m.Words[w.Word]; twice {
			return m, models.Invalid("words", "mapping.sameWord")
		}
		m.Words[w.Word] = report.Meaning(w.Meaning)
	}
	return m, nil
}

// createReportProfile answers POST /settings/reconciliation.
func (h *Handlers) createReportProfile(c *fiber.Ctx) error {
	form := readProfileForm(func(name string) string { return c.FormValue(name) })
	m, err := mappingOf(&form)
	var p *reconciliation.ReportProfile
	if err == nil {
		p, err = h.Reconciliation.CreateReportProfile(c.UserContext(), actor(c), form.Name, m)
	}
	if errs, status, ok := refused(err); ok {
		form.Errors = errs
		return shownIn(err, render(c, status, exchangeview.ReportProfile(&exchangeview.ReportProfileView{Page: h.page(c), Form: form})))
	}
	if err != nil {
		return err
	}
	return h.done(c, profilePath(p.ID), "flash.created")
}

func profilePath(id int64) string { return fmt.Sprintf("/settings/reconciliation/%d", id) }

// changeReportProfile answers POST /settings/reconciliation/:id.
func (h *Handlers) changeReportProfile(c *fiber.Ctx) error {
	form := readProfileForm(func(name string) string { return c.FormValue(name) })
	return h.changeProfile(c, func(id int64, version int) error {
		m, err := mappingOf(&form)
		if err != nil {
			return err
		}
		return h.Reconciliation.ChangeReportProfile(c.UserContext(), actor(c), id, version, form.Name, m)
	}, func(v *exchangeview.ReportProfileView, errs ui.Errors) {
		form.Errors = errs
		v.Form = form
	})
}

// retireReportProfile answers POST /settings/reconciliation/:id/retirement.
func (h *Handlers) retireReportProfile(c *fiber.Ctx) error {
	return h.changeProfile(c, func(id int64, version int) error {
		return h.Reconciliation.RetireReportProfile(c.UserContext(), actor(c), id, version)
	}, showOnProfile)
}

// restoreReportProfile answers POST /settings/reconciliation/:id/restoration.
func (h *Handlers) restoreReportProfile(c *fiber.Ctx) error {
	return h.changeProfile(c, func(id int64, version int) error {
		return h.Reconciliation.RestoreReportProfile(c.UserContext(), actor(c), id, version)
	}, showOnProfile)
}

func showOnProfile(v *exchangeview.ReportProfileView, errs ui.Errors) { v.Form.Errors = errs }

// changeProfile changes a profile and goes back to it; a refusal is shown in the
// form, with what was entered.
func (h *Handlers) changeProfile(c *fiber.Ctx, change func(id int64, version int) error, show func(*exchangeview.ReportProfileView, ui.Errors)) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	version, err := formVersion(c)
	if err != nil {
		return err
	}
	err = change(id, version)
	errs, status, ok := refused(err)
	if !ok {
		if err != nil {
			return err
		}
		return h.done(c, profilePath(id), "flash.saved")
	}
	v, reading := h.profileView(c)
	if reading != nil {
		return reading
	}
	show(v, errs)
	return shownIn(err, render(c, status, exchangeview.ReportProfile(v)))
}

// previewReport answers POST /settings/reconciliation/preview: a sample, read by
// what stands in the form. Nothing is kept of either.
func (h *Handlers) previewReport(c *fiber.Ctx) error {
	v := &exchangeview.ReportProfileView{}
	if !isUpload(c) {
		v.Form = readProfileForm(func(name string) string { return c.FormValue(name) })
		v.ID = max(chosenID(c.FormValue("id")), 0)
		v.Form.Errors = ui.Errors{"file": "report.noFile"}
		v.Page = h.page(c)
		return render(c, fiber.StatusUnprocessableEntity, exchangeview.ReportProfile(v))
	}
	u, err := readUpload(c, func(fields map[string]string) error {
		v.Form = readProfileForm(func(name string) string { return fields[name] })
		v.ID = max(chosenID(fields["id"]), 0)
		return checkToken(c, fields["csrf"])
	})
	if u != nil {
		defer u.Close()
	}
	if err == nil {
		err = h.previewUpload(v, u)
	}
	status := fiber.StatusOK
	if err != nil {
		var errs ui.Errors
		var ok bool
		if v.Problem = report.FileProblemOf(err); v.Problem != nil {
			status = fiber.StatusUnprocessableEntity
		} else if errs, status, ok = refused(err); ok && errs[""] == "" {
			v.Form.Errors = errs
		} else {
			return err
		}
	}
	v.Page = h.page(c)
	return shownIn(err, render(c, status, exchangeview.ReportProfile(v)))
}

func (h *Handlers) previewUpload(v *exchangeview.ReportProfileView, u *upload) error {
	if u.size == 0 && u.name == "" {
		return models.Invalid("file", "report.noFile")
	}
	m, err := mappingOf(&v.Form)
	if err != nil {
		return err
	}
	table, done, err := report.OpenReport(u.file, u.size, m)
	if err != nil {
		return err
	}
	p, err := reconciliation.PreviewFile(table, m, h.Rules.Window().Calendar)
	if err = errors.Join(err, done()); err != nil {
		return err
	}
	v.Preview = p
	v.Form.Take(p)
	return nil
}
