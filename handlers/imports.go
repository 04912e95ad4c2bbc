package handlers

import (
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/imports"
	exchangeview "veinte/views/exchange"
)

// listImports answers GET /imports.
func (h *Handlers) listImports(c *fiber.Ctx) error {
	before, err := queryID(c, "before")
	if err != nil {
		return err
	}
	list, more, err := h.Imports.Imports(c.UserContext(), actor(c), before)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, exchangeview.Imports(&exchangeview.ImportsView{Page: h.page(c), Imports: list, More: more, Kinds: imports.Kinds(actor(c))}))
}

// newImport answers GET /imports/new.
func (h *Handlers) newImport(c *fiber.Ctx) error {
	kind := imports.Kind(c.Query("kind", string(imports.OfSales)))
	if imports.Columns(kind) == nil {
		return models.ErrNotFound
	}
	return h.importForm(c, fiber.StatusOK, kind, nil)
}

func (h *Handlers) importForm(c *fiber.Ctx, status int, kind imports.Kind, problem *imports.FileError) error {
	return render(c, status, exchangeview.ImportNew(&exchangeview.ImportNewView{Page: h.page(c), Kind: kind, Problem: problem}))
}

// giveImport answers POST /imports, the one body that may be large. It is not
// looked at before it is known who sends it.
func (h *Handlers) giveImport(c *fiber.Ctx) error {
	var kind imports.Kind
	if !isUpload(c) { // a form without a file
		if kind = imports.Kind(c.FormValue("kind")); imports.Columns(kind) == nil {
			return errBadInput
		}
		return h.importForm(c, fiber.StatusUnprocessableEntity, kind, imports.ErrNoFile)
	}
	u, err := readUpload(c, func(fields map[string]string) error {
		if kind = imports.Kind(fields["kind"]); imports.Columns(kind) == nil {
			return errBadInput
		}
		return checkToken(c, fields["csrf"])
	})
	if u != nil {
		defer u.Close()
	}
	var given *imports.Import
	if err == nil && u.size == 0 && u.name == "" {
		err = imports.ErrNoFile
	}
	if err == nil {
		given, err = h.Imports.Upload(c.UserContext(), actor(c), kind, u.name, u.file, u.size)
	}
	var problem *imports.FileError
	if errors.As(err, &problem) {
		status := fiber.StatusUnprocessableEntity
		if problem.Is(imports.ErrTooLarge) {
			status = fiber.StatusRequestEntityTooLarge
		}
		return h.importForm(c, status, kind, problem)
	}
	if err != nil {
		return err
	}
	return c.Redirect(importPath(given.ID), fiber.StatusSeeOther)
}

func importPath(id int64) string { return fmt.Sprintf("/imports/%d", id) }

// showImport answers GET /imports/:id, and the polled part of it with
// fragment=import.
func (h *Handlers) showImport(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	v, err := h.importView(c, id)
	if err != nil {
		return err
	}
	if c.Query("fragment") == "import" {
		return h.renderPolled(c, v.Page, exchangeview.ImportBody(v))
	}
	return render(c, fiber.StatusOK, exchangeview.Import(v))
}

func (h *Handlers) importView(c *fiber.Ctx, id int64) (*exchangeview.ImportView, error) {
	story, err := h.Imports.Detail(c.UserContext(), actor(c), id)
	if err != nil {
		return nil, err
	}
	return &exchangeview.ImportView{Page: h.page(c), Story: *story}, nil
}

// confirmImport answers POST /imports/:id/confirmation.
func (h *Handlers) confirmImport(c *fiber.Ctx) error {
	partial := c.FormValue("partial") == "on"
	return h.changeImport(c, "", func(id int64, version int) error {
		return h.Imports.ConfirmImport(c.UserContext(), actor(c), id, version, partial)
	})
}

// discardImport answers POST /imports/:id/discarding.
func (h *Handlers) discardImport(c *fiber.Ctx) error {
	return h.changeImport(c, "flash.importDiscarded", func(id int64, version int) error {
		return h.Imports.DiscardImport(c.UserContext(), actor(c), id, version)
	})
}

// undoImport answers POST /imports/:id/undoing.
func (h *Handlers) undoImport(c *fiber.Ctx) error {
	return h.changeImport(c, "flash.importUndone", func(id int64, version int) error {
		_, err := h.Imports.UndoImport(c.UserContext(), actor(c), id, version)
		return err
	})
}

// changeImport does something with an import and goes back to it; a refusal is
// shown there.
func (h *Handlers) changeImport(c *fiber.Ctx, done string, change func(id int64, version int) error) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	version, err := formVersion(c)
	if err != nil {
		return err
	}
	err = change(id, version)
	if errs, status, ok := refused(err); ok && !errors.Is(err, models.ErrForbidden) {
		v, reading := h.importView(c, id)
		if reading != nil {
			return reading
		}
		v.Errors = errs
		return shownIn(err, render(c, status, exchangeview.Import(v)))
	}
	if err != nil {
		return err
	}
	if done == "" {
		return c.Redirect(importPath(id), fiber.StatusSeeOther)
	}
	return h.done(c, importPath(id), done)
}
