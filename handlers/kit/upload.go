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
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/handlers/api"
	"veinte/models"
	"veinte/models/imports"
)

// MaxRequest limits a request's body. Forms are far smaller and have their own
// limit; a larger post of a terminal still gets a response. The API and imported
// files have other limits.
const MaxRequest = 1 << 20

// Who sends a body is known once it was read, so strangers could fill the memory with
// many at once: of those that are larger than a form few are read at the same time.
const (
	maxLargeBodies = 32
	longestForRoom = 5 * time.Second // that one waits for the others
)

// These routes may have large bodies, which are read as they arrive. fasthttp passes
// every body on as a stream, and TakeBody reads all others within their limit before
// any other handler.
const (
	UploadPath  = "/imports"
	ReportPath  = "/reconciliations"
	PreviewPath = "/settings/reconciliation/preview"
)

var uploadPaths = []string{UploadPath, ReportPath, PreviewPath}

// uploadTime is how long an allowed upload may take to arrive.
const uploadTime = 10 * time.Minute

// beginsUpload reports whether a request's body is a file on its way.
func beginsUpload(h *fasthttp.RequestHeader) bool {
	path, _, _ := bytes.Cut(h.RequestURI(), []byte("?"))
	return h.IsPost() && slices.Contains(uploadPaths, string(path)) && bytes.HasPrefix(h.ContentType(), []byte(fiber.MIMEMultipartForm))
}

// IsUpload reports whether the request brings a file.
func IsUpload(c *fiber.Ctx) bool { return beginsUpload(&c.Request().Header) }

// tooLargeMark is set on a request whose body was dropped for its size.
const tooLargeMark = "Veinte-Too-Large"

// BeforeBody decides by a request's head alone. At most one byte of a file is read
// before the user is known. Any other body that states too large a size is not read
// at all: the request goes on without it and is refused.
//
// A head that could be read in two ways is treated so as well: where its body ends is
// not known.
func BeforeBody(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	framed := wellFramed(h)
	canonical(h)
	h.Del(tooLargeMark)
	h.Del(framingMark)
	switch path, _, _ := bytes.Cut(h.RequestURI(), []byte("?")); {
	case !framed:
		dropBody(h, framingMark)
	case beginsUpload(h):
		return fasthttp.RequestConfig{MaxRequestBodySize: 1}
	case h.ContentLength() > limitOf(string(path)):
		dropBody(h, tooLargeMark)
	}
	return fasthttp.RequestConfig{}
}

// dropBody makes the request go on without its body, to be refused for what the mark
// says; nothing after it on its connection is read.
func dropBody(h *fasthttp.RequestHeader, mark string) {
	h.SetContentLength(0)
	h.SetConnectionClose()
	h.Set(mark, "1")
}

// limitOf is how large a body may be that is read as a whole.
func limitOf(path string) int {
	switch {
	case api.Owns(path):
		return api.MaxBody
	case strings.HasPrefix(path, "/results/"):
		return MaxRequest
	}
	return maxForm
}

// TakeBody reads a request's body into memory, unless it is an upload. A body that
// is too large is refused without being read. Its connection is closed, because the
// rest of the body is no request.
func (k *Kit) TakeBody(c *fiber.Ctx) error {
	if len(c.Request().Header.Peek(framingMark)) > 0 {
		return ErrBadInput
	}
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
	body, err := k.readBody(c, stream, limitOf(c.Path()))
	if err != nil {
		c.Context().SetConnectionClose()
		return err
	}
	c.Request().SetBodyRaw(body)
	return c.Next()
}

// readBody reads a body within its limit, and one that is larger than a form in its turn.
func (k *Kit) readBody(c *fiber.Ctx, stream io.Reader, limit int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(stream, int64(min(maxForm, limit))+1))
	if err == nil && len(body) > maxForm && limit > maxForm {
		wait := time.NewTimer(longestForRoom)
		defer wait.Stop()
		select {
		case k.large <- struct{}{}:
			defer func() { <-k.large }()
		case <-wait.C:
			c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(longestForRoom.Seconds())))
			return nil, fiber.ErrServiceUnavailable
		}
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(stream, int64(limit-len(body))+1))
		body = append(body, rest...)
	}
	switch {
	case err != nil:
		return nil, ErrBadInput
	case len(body) > limit:
		return nil, fiber.ErrRequestEntityTooLarge
	}
	return body, nil
}

// Upload is a file that arrived, in a temporary file without a name.
type Upload struct {
	fields map[string]string // of the form, those before the file
	Name   string            // as the person's machine calls it; "" when none was chosen
	Size   int64
	File   *os.File
}

// Missing reports that nobody chose a file.
func (u *Upload) Missing() bool { return u.Size == 0 && u.Name == "" }

const (
	// maxUploadFields and maxUploadField bound what comes before the file.
	maxUploadFields = 180 // a report's profile: its columns, and its words with their meanings
	maxUploadField  = 500
)

// readUpload reads the fields, and the file once begin has let it come.
func readUpload(c *fiber.Ctx, accept func(fields map[string]string) error, begin func() error) (*Upload, error) {
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
			err := begin()
			if failed := c.Context().Conn().SetReadDeadline(time.Now().Add(uploadTime)); failed != nil {
				return nil, fmt.Errorf("wait for upload: %w", failed)
			}
			if err != nil { // a browser reads no answer before it has sent all
				_, _ = io.Copy(io.Discard, io.LimitReader(part, imports.MaxBytes+1))
				return nil, err
			}
			u.Name = part.FileName()
			return u, u.store(part)
		}
		value, err := io.ReadAll(io.LimitReader(part, maxUploadField+1))
		if err != nil || len(value) > maxUploadField || !models.Storable(part.FormName()) || !models.Storable(string(value)) {
			return nil, ErrBadInput
		}
		u.fields[part.FormName()] = string(value)
	}
	return nil, ErrBadInput
}

// store writes the file to disk as it arrives, because a workbook is read from its
// end.
func (u *Upload) store(part io.Reader) error {
	var err error
	if u.File, err = os.CreateTemp("", "veinte-import-*"); err != nil {
		return fmt.Errorf("store upload: %w", err)
	}
	// A file without a name is deleted when the process ends, even after a crash.
	if err := os.Remove(u.File.Name()); err != nil {
		return fmt.Errorf("store upload: %w", err)
	}
	u.Size, err = io.Copy(u.File, io.LimitReader(part, imports.MaxBytes+1))
	var path *os.PathError
	switch {
	case errors.As(err, &path):
		return fmt.Errorf("store upload: %w", err) // no room here
	case err != nil:
		return ErrBadInput // it broke off, or is no form
	case u.Size > imports.MaxBytes:
		return imports.ErrTooLarge
	}
	return nil
}
