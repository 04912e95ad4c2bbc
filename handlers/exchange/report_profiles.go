package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/reconciliation"
	"veinte/models/reconciliation/report"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

// ListReportProfiles handles GET /settings/reconciliation.
func (h *Handlers) ListReportProfiles(c *fiber.Ctx) error {
	profiles, err := h.Reconciliation.ReportProfiles(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	v := &exchangeview.ReportProfilesView{Page: h.Page(c), Profiles: profiles}
	return kit.Render(c, fiber.StatusOK, exchangeview.ReportProfiles(v))
}

// NewReportProfile handles GET /settings/reconciliation/new.
func (h *Handlers) NewReportProfile(c *fiber.Ctx) error {
	form := exchangeview.ProfileForm{
		Amounts: report.AmountsPoint, Dates: report.DatesDayMonthYear, Zone: h.Window().Calendar.Zone().String(),
	}
	return kit.Render(c, fiber.StatusOK, exchangeview.ReportProfile(&exchangeview.ReportProfileView{Page: h.Page(c), Form: form}))
}

// ShowReportProfile handles GET /settings/reconciliation/:id.
func (h *Handlers) ShowReportProfile(c *fiber.Ctx, id int64) error {
	v, err := h.profileView(c, id)
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, exchangeview.ReportProfile(v))
}

// profileView reads the profile of the path.
func (h *Handlers) profileView(c *fiber.Ctx, id int64) (*exchangeview.ReportProfileView, error) {
	p, err := h.Reconciliation.ReportProfile(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return nil, err
	}
	form := formOf(p.Mapping)
	form.Name, form.Version = p.Name, p.Version
	return &exchangeview.ReportProfileView{Page: h.Page(c), ID: id, Retired: p.RetiredAt != nil, SetBy: p.SetBy, Form: form}, nil
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
	order := func(w exchangeview.ProfileWord) int { return slices.Index(report.Meanings, report.Meaning(w.Meaning)) }
	slices.SortStableFunc(f.Words, func(a, b exchangeview.ProfileWord) int { return cmp.Compare(order(a), order(b)) })
	return f
}

// maxFormWords is how many words a form may bring.
const maxFormWords = 70

// readProfileForm reads what was entered, by the name of each field.
func readProfileForm(field func(name string) string) exchangeview.ProfileForm {
	f := exchangeview.ProfileForm{
		Name: kit.Clip(field("name"), 400), Columns: map[report.Field]string{},
		NegativeCancels: field("negativeCancels") == "on", OneLine: field("oneLine") == "on",
		Amounts: report.AmountStyle(field("amounts")), Dates: report.DateStyle(field("dates")),
		Zone: kit.Clip(field("zone"), 80), Cut: kit.Clip(field("cut"), 20),
	}
	f.Version, _ = strconv.Atoi(field("version"))
	for _, column := range report.Fields {
		if name := strings.TrimSpace(kit.Clip(field(string(column)), 480)); name != "" {
			f.Columns[column] = name
		}
	}
	for n := range maxFormWords {
		word, meaning := strings.TrimSpace(kit.Clip(field("word-"+strconv.Itoa(n)), 480)), field("meaning-"+strconv.Itoa(n))
		if word != "" {
			f.Words = append(f.Words, exchangeview.ProfileWord{Word: word, Meaning: meaning})
		}
	}
	return f
}

// mappingOf reads the mapping from the form. Checking the mapping refuses a
// duplicate word, or one without a meaning.
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

// CreateReportProfile handles POST /settings/reconciliation.
func (h *Handlers) CreateReportProfile(c *fiber.Ctx) error {
	form := readProfileForm(kit.Form(c))
	m, err := mappingOf(&form)
	var p *reconciliation.ReportProfile
	if err == nil {
		p, err = h.Reconciliation.CreateReportProfile(c.UserContext(), kit.Actor(c), form.Name, m)
	}
	if err != nil {
		return kit.ShowAgain(err, func(status int, errs ui.Errors) error {
			form.Errors = errs
			return kit.Render(c, status, exchangeview.ReportProfile(&exchangeview.ReportProfileView{Page: h.Page(c), Form: form}))
		})
	}
	return h.Done(c, profilePath(p.ID), "flash.created")
}

func profilePath(id int64) string { return fmt.Sprintf("/settings/reconciliation/%d", id) }

// ChangeReportProfile handles POST /settings/reconciliation/:id.
func (h *Handlers) ChangeReportProfile(c *fiber.Ctx, id int64) error {
	form := readProfileForm(kit.Form(c))
	return h.changeProfile(c, id, func(ctx context.Context, actor models.Actor, id int64, version int) error {
		m, err := mappingOf(&form)
		if err != nil {
			return err
		}
		return h.Reconciliation.ChangeReportProfile(ctx, actor, id, version, form.Name, m)
	}, func(v *exchangeview.ReportProfileView, errs ui.Errors) {
		form.Errors = errs
		v.Form = form
	})
}

// RetireReportProfile handles POST /settings/reconciliation/:id/retirement.
func (h *Handlers) RetireReportProfile(c *fiber.Ctx, id int64) error {
	return h.changeProfile(c, id, h.Reconciliation.RetireReportProfile, showOnProfile)
}

// RestoreReportProfile handles POST /settings/reconciliation/:id/restoration.
func (h *Handlers) RestoreReportProfile(c *fiber.Ctx, id int64) error {
	return h.changeProfile(c, id, h.Reconciliation.RestoreReportProfile, showOnProfile)
}

func showOnProfile(v *exchangeview.ReportProfileView, errs ui.Errors) { v.Form.Errors = errs }

// changeProfile changes a profile and goes back to it; a refusal is shown in the
// form, with what was entered.
func (h *Handlers) changeProfile(
	c *fiber.Ctx, id int64, change kit.ChangeByID, show func(*exchangeview.ReportProfileView, ui.Errors),
) error {
	return h.Change(c, change.At(c, id), profilePath(id), "flash.saved", func(status int, errs ui.Errors) error {
		v, err := h.profileView(c, id)
		if err != nil {
			return err
		}
		show(v, errs)
		return kit.Render(c, status, exchangeview.ReportProfile(v))
	})
}

// PreviewReport handles POST /settings/reconciliation/preview: a sample, read with
// the form's values. Neither is stored.
func (h *Handlers) PreviewReport(c *fiber.Ctx) error {
	v := &exchangeview.ReportProfileView{}
	if !kit.IsUpload(c) {
		v.Form = readProfileForm(kit.Form(c))
		v.ID = max(kit.ChosenID(c.FormValue("id")), 0)
		v.Form.Errors = ui.Errors{"file": "report.noFile"}
		v.Page = h.Page(c)
		return kit.Render(c, fiber.StatusUnprocessableEntity, exchangeview.ReportProfile(v))
	}
	err := h.TakeUpload(c, func(fields map[string]string) error {
		v.Form = readProfileForm(func(name string) string { return fields[name] })
		v.ID = max(kit.ChosenID(fields["id"]), 0)
		return kit.CheckToken(c, fields["csrf"])
	}, func(u *kit.Upload) error { return h.previewUpload(v, u) })
	errs, status, ok := kit.Refused(err)
	switch v.Problem = report.FileProblemOf(err); {
	case err == nil:
		status = fiber.StatusOK
	case v.Problem != nil:
		status = fiber.StatusUnprocessableEntity
	case ok && errs[""] == "":
		v.Form.Errors = errs
	default:
		return err
	}
	v.Page = h.Page(c)
	return kit.ShownIn(err, kit.Render(c, status, exchangeview.ReportProfile(v)))
}

func (h *Handlers) previewUpload(v *exchangeview.ReportProfileView, u *kit.Upload) error {
	if u.Missing() {
		return models.Invalid("file", "report.noFile")
	}
	m, err := mappingOf(&v.Form)
	if err != nil {
		return err
	}
	table, done, err := report.OpenReport(u.File, u.Size, m)
	if err != nil {
		return err
	}
	p, err := reconciliation.PreviewFile(table, m, h.Window().Calendar)
	if err = errors.Join(err, done()); err != nil {
		return err
	}
	v.Preview = p
	v.Form.Take(p)
	return nil
}
