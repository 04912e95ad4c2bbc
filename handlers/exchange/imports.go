package exchange

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/audit/export"
	"veinte/models/imports"
	exchangeview "veinte/views/exchange"
	exportview "veinte/views/export"
	"veinte/views/ui"
)

// ListImports handles GET /imports.
func (h *Handlers) ListImports(c *fiber.Ctx) error {
	before, err := kit.QueryID(c, "before")
	if err != nil {
		return err
	}
	list, more, err := h.Imports.Imports(c.UserContext(), kit.Actor(c), before)
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, exchangeview.Imports(&exchangeview.ImportsView{
		Page: h.Page(c), Imports: list, More: more, Kinds: imports.Kinds(kit.Actor(c)),
	}))
}

// NewImport handles GET /imports/new.
func (h *Handlers) NewImport(c *fiber.Ctx) error {
	kind := imports.Kind(c.Query("kind", string(imports.OfSales)))
	if imports.Columns(kind) == nil {
		return models.ErrNotFound
	}
	return h.importForm(c, fiber.StatusOK, kind, nil)
}

func (h *Handlers) importForm(c *fiber.Ctx, status int, kind imports.Kind, problem *imports.FileError) error {
	return kit.Render(c, status, exchangeview.ImportNew(&exchangeview.ImportNewView{Page: h.Page(c), Kind: kind, Problem: problem}))
}

// GiveImport handles POST /imports, where a large body is allowed. The body is read
// only after the user is known.
func (h *Handlers) GiveImport(c *fiber.Ctx) error {
	var kind imports.Kind
	if !kit.IsUpload(c) { // a form without a file
		if kind = imports.Kind(c.FormValue("kind")); imports.Columns(kind) == nil {
			return kit.ErrBadInput
		}
		return h.importForm(c, fiber.StatusUnprocessableEntity, kind, imports.ErrNoFile)
	}
	var given *imports.Import
	err := h.TakeUpload(c, func(fields map[string]string) error {
		if kind = imports.Kind(fields["kind"]); imports.Columns(kind) == nil {
			return kit.ErrBadInput
		}
		return kit.CheckToken(c, fields["csrf"])
	}, func(u *kit.Upload) (err error) {
		if u.Missing() {
			return imports.ErrNoFile
		}
		given, err = h.Imports.Upload(c.UserContext(), kit.Actor(c), kind, u.Name, u.File, u.Size)
		return err
	})
	var problem *imports.FileError
	if errors.As(err, &problem) {
		status := fiber.StatusUnprocessableEntity
		if problem.Is(imports.ErrTooLarge) {
			status = fiber.StatusRequestEntityTooLarge
		}
		return h.importForm(c, status, kind, problem)
	}
	if errors.Is(err, kit.ErrUploading) {
		return kit.ShownIn(err, h.importForm(c, fiber.StatusTooManyRequests, kind, &imports.FileError{Code: kit.ErrUploading.Code}))
	}
	if err != nil {
		return err
	}
	return c.Redirect(importPath(given.ID), fiber.StatusSeeOther)
}

func importPath(id int64) string { return fmt.Sprintf("/imports/%d", id) }

// ShowImport handles GET /imports/:id, and the polled part of it with
// fragment=import.
func (h *Handlers) ShowImport(c *fiber.Ctx, id int64) error {
	v, err := h.importView(c, id)
	if err != nil {
		return err
	}
	if c.Query("fragment") == "import" {
		return h.RenderPolled(c, v.Page, exchangeview.ImportBody(v))
	}
	return kit.Render(c, fiber.StatusOK, exchangeview.Import(v))
}

func (h *Handlers) importView(c *fiber.Ctx, id int64) (*exchangeview.ImportView, error) {
	detail, err := h.Imports.Detail(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return nil, err
	}
	return &exchangeview.ImportView{Page: h.Page(c), Detail: *detail}, nil
}

// AnswerStatus handles POST /imports/:id/status: what the values of the file's status
// columns mean. The button all says that every row is a sale.
func (h *Handlers) AnswerStatus(c *fiber.Ctx, id int64) error {
	detail, err := h.Imports.Detail(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	answers := make([]imports.Meaning, len(detail.StatusWords()))
	for i := range answers {
		answers[i] = imports.Meaning(c.FormValue("all", c.FormValue(fmt.Sprintf("meaning-%d", i))))
	}
	answer := func(ctx context.Context, actor models.Actor, id int64, version int) error {
		return h.Imports.AnswerStatus(ctx, actor, id, version, answers)
	}
	return h.changeImportShowing(c, id, "", answer, func(v *exchangeview.ImportView) { v.Meanings = answers })
}

// ConfirmImport handles POST /imports/:id/confirmation.
func (h *Handlers) ConfirmImport(c *fiber.Ctx, id int64) error {
	partial := c.FormValue("partial") == "on"
	return h.changeImport(c, id, "", func(ctx context.Context, actor models.Actor, id int64, version int) error {
		return h.Imports.ConfirmImport(ctx, actor, id, version, partial)
	})
}

// DiscardImport handles POST /imports/:id/discarding.
func (h *Handlers) DiscardImport(c *fiber.Ctx, id int64) error {
	return h.changeImport(c, id, "flash.importDiscarded", h.Imports.DiscardImport)
}

// UndoImport handles POST /imports/:id/undoing.
func (h *Handlers) UndoImport(c *fiber.Ctx, id int64) error {
	return h.changeImport(c, id, "flash.importUndone", func(ctx context.Context, actor models.Actor, id int64, version int) error {
		_, err := h.Imports.UndoImport(ctx, actor, id, version)
		return err
	})
}

// changeImport changes an import and redirects to it; a refusal is shown there.
func (h *Handlers) changeImport(c *fiber.Ctx, id int64, done string, change kit.ChangeByID) error {
	return h.changeImportShowing(c, id, done, change, func(*exchangeview.ImportView) {})
}

// changeImportShowing is changeImport; a refusal also shows what was typed.
func (h *Handlers) changeImportShowing(
	c *fiber.Ctx, id int64, done string, change kit.ChangeByID, typed func(*exchangeview.ImportView),
) error {
	return h.Change(c, change.At(c, id), importPath(id), done, func(status int, errs ui.Errors) error {
		v, err := h.importView(c, id)
		if err != nil {
			return err
		}
		v.Errors = errs
		typed(v)
		return kit.Render(c, status, exchangeview.Import(v))
	}, models.ErrForbidden)
}

// ExportWrongRows handles GET /imports/:id/wrong.csv: the rows that cannot be
// imported, with a column for the reason, to be corrected and uploaded again.
func (h *Handlers) ExportWrongRows(c *fiber.Ctx, id int64) error {
	who := kit.Actor(c)
	detail, err := h.Imports.Detail(c.UserContext(), who, id)
	if err != nil {
		return err
	}
	columns := imports.Columns(detail.Kind)
	file := export.FileExport{File: "wrongRows", Of: id, Name: detail.FileName}
	return h.StreamFile(c, file, fmt.Sprintf("veinte-%d.csv", id), func(ctx context.Context, out *kit.Pipe) error {
		rows := exportview.NewWrongRows(ctx, out, columns)
		err := h.Imports.ImportRemarks(ctx, who, id, func(r *imports.Row) bool { return rows.Write(r) == nil })
		return errors.Join(err, rows.Flush())
	})
}
