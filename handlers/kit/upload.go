package kit

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

// MaxRequest bounds a request's body. Forms are far smaller and are bounded
// again; a terminal's post that is larger is still answered. The API has a limit
// of its own, and a file to be imported another.
const MaxRequest = 1 << 20

// The routes whose bodies may be large: they are read as they come. fasthttp
// hands every body on as a stream, and TakeBody reads all others within their
// limit before anything else sees them.
const (
	UploadPath  = "/imports"
	ReportPath  = "/reconciliations"
	PreviewPath = "/settings/reconciliation/preview"
)

var uploadPaths = []string{UploadPath, ReportPath, PreviewPath}

// uploadTime is how long a file may take to arrive, from one who may send it.
const uploadTime = 10 * time.Minute

// beginsUpload reports whether a request's body is a file on its way.
func beginsUpload(h *fasthttp.RequestHeader) bool {
	path, _, _ := bytes.Cut(h.RequestURI(), []byte("?"))
	return h.IsPost() && slices.Contains(uploadPaths, string(path)) && bytes.HasPrefix(h.ContentType(), []byte(fiber.MIMEMultipartForm))
}

// IsUpload reports whether the request brings a file.
func IsUpload(c *fiber.Ctx) bool { return beginsUpload(&c.Request().Header) }

// tooLargeMark is put on a request whose body was taken from it for its size.
const tooLargeMark = "Veinte-Too-Large"

// BeforeBody decides by a request's head alone. Of a file no more than a byte is
// read before it is known who sends it. Any other body that says it is too large
// is not read at all: the request goes on without it, to be refused.
func BeforeBody(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
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
	return MaxRequest
}

// TakeBody reads a request's body into memory, unless it is a file on its way.
// What is too large is refused without being read; its connection is closed,
// as what is left on it is no request.
func (k *Kit) TakeBody(c *fiber.Ctx) error {
	if len(c.Request().Header.Peek(tooLargeMark)) > 0 {
		return fiber.ErrRequestEntityTooLarge
	}
	stream := c.Context().RequestBodyStream()
	if stream == nil {
		return c.Next()
	}
	if IsUpload(c) {
		defer c.Context().SetConnectionClose()
		return c.Next()
	}
	limit := limitOf(c.Path())
	body, err := io.ReadAll(io.LimitReader(stream, int64(limit)+1))
	if err != nil {
		c.Context().SetConnectionClose()
		return ErrBadInput
	}
	if len(body) > limit {
		c.Context().SetConnectionClose()
		return fiber.ErrRequestEntityTooLarge
	}
	c.Request().SetBodyRaw(body)
	return c.Next()
}

// Upload is a file that arrived, in a temporary file without a name.
type Upload struct {
	fields map[string]string // of the form, those before the file
	Name   string            // as the person's machine calls it; "" when none was chosen
	Size   int64
	File   *os.File
}

// Close takes the file away.
func (u *Upload) Close() {
	if u.File != nil {
		_ = u.File.Close()
	}
}

const (
	// maxUploadFields and maxUploadField bound what comes before the file.
	maxUploadFields = 180 // a report's profile: its columns, and its words with their meanings
	maxUploadField  = 500
)

// ReadUpload reads a form with a file, whose fields come before it. accept is
// called once they are there, before the file is read.
//
// Errors: models.ErrTooLarge; ErrBadInput.
func ReadUpload(c *fiber.Ctx, accept func(fields map[string]string) error) (*Upload, error) {
	_, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	stream := c.Context().RequestBodyStream()
	if err != nil || params["boundary"] == "" || stream == nil {
		return nil, ErrBadInput
	}
	u := &Upload{fields: map[string]string{}}
	parts := multipart.NewReader(stream, params["boundary"])
	for range maxUploadFields {
		part, err := parts.NextRawPart()
		if err != nil {
			return nil, ErrBadInput
		}
		if part.FormName() == "file" {
			if err := accept(u.fields); err != nil {
				return nil, err
			}
			if n := c.Request().Header.ContentLength(); int64(n) > imports.MaxBytes+MaxRequest {
				return nil, imports.ErrTooLarge
			}
			if err := c.Context().Conn().SetReadDeadline(time.Now().Add(uploadTime)); err != nil {
				return nil, fmt.Errorf("wait for upload: %w", err)
			}
			u.Name = part.FileName()
			return u, u.store(part)
		}
		value, err := io.ReadAll(io.LimitReader(part, maxUploadField+1))
		if err != nil || len(value) > maxUploadField || !storable(part.FormName()) || !storable(string(value)) {
			return nil, ErrBadInput
		}
		u.fields[part.FormName()] = string(value)
	}
	return nil, ErrBadInput
}

// store writes the file down as it comes: a workbook is read from its end.
func (u *Upload) store(part io.Reader) error {
	var err error
	if u.File, err = os.CreateTemp("", "veinte-import-*"); err != nil {
		return fmt.Errorf("keep upload: %w", err)
	}
	// Without a name it is gone with the process, whatever happens.
	if err := os.Remove(u.File.Name()); err != nil {
		return fmt.Errorf("keep upload: %w", err)
	}
	u.Size, err = io.Copy(u.File, io.LimitReader(part, imports.MaxBytes+1))
	var path *os.PathError
	switch {
	case errors.As(err, &path):
		return fmt.Errorf("keep upload: %w", err) // no room here
	case err != nil:
		return ErrBadInput // it broke off, or is no form
	case u.Size > imports.MaxBytes:
		return imports.ErrTooLarge
	}
	return nil
}
