package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// format is a file's format by its first bytes.
type format int

const (
	textFile format = iota
	zipFile
)

// signatures are the first bytes of files that people send instead of a table.
var signatures = []struct {
	begins string
	why    *Error
}{
	{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", ErrOldExcel}, // OLE: .xls, or encrypted .xlsx
	{"\x09\x08\x10\x00", ErrOldExcel},                 // BIFF without OLE
	{"\x89PNG", ErrNoTable},
	{"\xFF\xD8\xFF", ErrNoTable}, // JPEG
	{"GIF8", ErrNoTable},
	{"RIFF", ErrNoTable}, // WebP
	{"%PDF-", ErrNoTable},
	{"\x1F\x8B", ErrNoTable},           // gzip
	{"7z\xBC\xAF\x27\x1C", ErrNoTable}, //
	{"Rar!", ErrNoTable},
	{"{\\rtf", ErrNoTable},
}

// sniff distinguishes a workbook from text, and refuses anything else.
func sniff(r io.ReaderAt, size int64) (format, error) {
	var buffer [512]byte
	n, err := r.ReadAt(buffer[:min(size, int64(len(buffer)))], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("read file: %w", err)
	}
	head := buffer[:n]
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return zipFile, nil
	}
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.begins)) {
			return 0, s.why
		}
	}
	body := bytes.TrimLeft(bytes.TrimPrefix(head, []byte(utf8BOM)), " \t\r\n")
	if len(body) == 0 && size <= int64(len(buffer)) {
		return 0, ErrEmpty
	}
	if bytes.HasPrefix(body, []byte("<")) {
		return 0, ErrHTML
	}
	return textFile, nil
}
