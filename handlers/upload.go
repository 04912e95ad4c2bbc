package handlers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"os"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/handlers/api"
	"veinte/models/imports"
)

// The routes whose bodies may be large: they are read as they come. fasthttp
// hands every body on as a stream, and takeBody reads all others within their
// limit before anything else sees them.
const (
	uploadPath  = "/imports"
	reportPath  = "/reconciliations"
	previewPath = "/settings/reconciliation/preview"
)

var uploadPaths = []string{uploadPath, reportPath, previewPath}

// uploadTime is how long a file may take to arrive, from one who may send it.
const uploadTime = 10 * time.Minute

// beginsUpload reports whether a request's body is a file on its way.
func beginsUpload(h *fasthttp.RequestHeader) bool {
	path, _, _ := bytes.Cut(h.RequestURI(), []byte("?"))
	return h.IsPost() && slices.Contains(uploadPaths, string(path)) && bytes.HasPrefix(h.ContentType(), []byte(fiber.MIMEMultipartForm))
}

func isUpload(c *fiber.Ctx) bool { return beginsUpload(&c.Request().Header) }

// tooLargeMark is put on a request whose body was taken from it for its size.
const tooLargeMark = "Veinte-Too-Large"

// beforeBody decides by a request's head alone. Of a file no more than a byte is
// read before it is known who sends it. Any other body that says it is too large
// is not read at all: the request goes on without it, to be refused.
func beforeBody(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if beginsUpload(h) {
		return fasthttp.RequestConfig{MaxRequestBodySize: 1}
	}
	h.Del(tooLargeMark)
	if path, _, _ := bytes.Cut(h.RequestURI(), []byte("?")); h.ContentLength() > limitOf(string(path)) {
		h.SetContentLength(0)
		h.SetConnectionClose()
		h.Set(tooLargeMark, "1")
	}
	return fasthttp.RequestConfig{}
}

// limitOf is how large a body may be that is read as a whole.
func limitOf(path string) int {
	if api.Owns(path) {
		return api.MaxBody
	}
	return maxRequest
}

// takeBody reads a request's body into memory, unless it is a file on its way.
// What is too large is refused without being read; its connection is closed,
// as what is left on it is no request.
func (h *Handlers) takeBody(c *fiber.Ctx) error {
	if len(c.Request().Header.Peek(tooLargeMark)) > 0 {
		return fiber.ErrRequestEntityTooLarge
	}
	stream := c.Context().RequestBodyStream()
	if stream == nil {
		return c.Next()
	}
	if isUpload(c) {
		defer c.Context().SetConnectionClose()
		return c.Next()
	}
	limit := limitOf(c.Path())
	body, err := io.ReadAll(io.LimitReader(stream, int64(limit)+1))
	if err != nil {
		c.Context().SetConnectionClose()
		return errBadInput
	}
	if len(body) > limit {
		c.Context().SetConnectionClose()
		return fiber.ErrRequestEntityTooLarge
	}
	c.Request().SetBodyRaw(body)
	return c.Next()
}

// upload is a file that arrived, in a temporary file without a name.
type upload struct {
	fields map[string]string // of the form, those before the file
	name   string            // as the person's machine calls it; "" when none was chosen
	size   int64
	file   *os.File
}

// Close takes the file away.
func (u *upload) Close() {
	if u.file != nil {
		_ = u.file.Close()
	}
}

const (
	// mostUploadFields and mostUploadField bound what comes before the file.
	mostUploadFields = 180 // a report's profile: its columns, and its words with their meanings
	mostUploadField  = 500
)

// readUpload reads a form with a file, whose fields come before it. accept is
// called once they are there, before the file is read.
//
// Errors: models.ErrTooLarge; errBadInput.
func readUpload(c *fiber.Ctx, accept func(fields map[string]string) error) (*upload, error) {
	_, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	stream := c.Context().RequestBodyStream()
	if err != nil || params["boundary"] == "" || stream == nil {
		return nil, errBadInput
	}
	u := &upload{fields: map[string]string{}}
	parts := multipart.NewReader(stream, params["boundary"])
	for range mostUploadFields {
		part, err := parts.NextRawPart()
		if err != nil {
			return nil, errBadInput
		}
		if part.FormName() == "file" {
			if err := accept(u.fields); err != nil {
				return nil, err
			}
			if n := c.Request().Header.ContentLength(); int64(n) > imports.MaxBytes+maxRequest {
				return nil, imports.ErrTooLarge
			}
			if err := c.Context().Conn().SetReadDeadline(time.Now().Add(uploadTime)); err != nil {
				return nil, fmt.Errorf("wait for upload: %w", err)
			}
			u.name = part.FileName()
			return u, u.keep(part)
		}
		value, err := io.ReadAll(io.LimitReader(part, mostUploadField+1))
		if err != nil || len(value) > mostUploadField || !storable(part.FormName()) || !storable(string(value)) {
			return nil, errBadInput
		}
		u.fields[part.FormName()] = string(value)
	}
	return nil, errBadInput
}

// keep writes the file down as it comes: a workbook is read from its end.
func (u *upload) keep(part io.Reader) error {
	var err error
	if u.file, err = os.CreateTemp("", "veinte-import-*"); err != nil {
		return fmt.Errorf("keep upload: %w", err)
	}
	// Without a name it is gone with the process, whatever happens.
	if err := os.Remove(u.file.Name()); err != nil {
		return fmt.Errorf("keep upload: %w", err)
	}
	u.size, err = io.Copy(u.file, io.LimitReader(part, imports.MaxBytes+1))
	var path *os.PathError
	switch {
	case errors.As(err, &path):
		return fmt.Errorf("keep upload: %w", err) // no room here
	case err != nil:
		return errBadInput // it broke off, or is no form
	case u.size > imports.MaxBytes:
		return imports.ErrTooLarge
	}
	return nil
}
