package witness

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"veinte/models/audit/trailfile/notes"
)

// maxRequest is how long a request may be, in bytes: a note, and the proof before it.
const maxRequest = notes.Max + 8<<10

// Handler answers add-checkpoint as C2SP's tlog-witness has it, with a page at / for people
// and /healthz for whoever supervises it.
func (w *Witness) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /add-checkpoint", w.serveAdd)
	mux.HandleFunc("GET /{$}", w.servePage)
	mux.HandleFunc("GET /healthz", w.serveHealth)
	return mux
}

func (w *Witness) serveAdd(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxRequest))
	if err != nil {
		answer(rw, http.StatusBadRequest, errRequest.Error())
		return
	}
	line, err := w.add(string(body))
	var conflict *conflictError
	switch {
	case err == nil:
		answer(rw, http.StatusOK, line)
	case errors.As(err, &conflict):
		rw.Header().Set("Content-Type", sizeType)
		rw.WriteHeader(http.StatusConflict)
		fmt.Fprintf(rw, "%d\n", conflict.size)
	case errors.Is(err, errRequest):
		answer(rw, http.StatusBadRequest, err.Error())
	case errors.Is(err, errSignature):
		answer(rw, http.StatusForbidden, err.Error())
	case errors.Is(err, errUnknown):
		answer(rw, http.StatusNotFound, err.Error())
	case errors.Is(err, errProof):
		answer(rw, http.StatusUnprocessableEntity, err.Error())
	default:
		w.log.Error("add-checkpoint failed", "error", err)
		answer(rw, http.StatusInternalServerError, "internal error")
	}
}

// servePage says in Spanish and in English who the witness is and what it saw. The page is
// plain text: the names on it are those of trails.
func (w *Witness) servePage(rw http.ResponseWriter, _ *http.Request) {
	list, err := w.Seen()
	if err != nil {
		w.log.Error("read what was seen", "error", err)
		answer(rw, http.StatusInternalServerError, "internal error")
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Testigo %s / Witness %s\n\n", w.signer.Name(), w.signer.Name())
	fmt.Fprintf(&b, "Firma que una bitácora solo crece. Su llave pública, para veinte audit verify --witness:\n"+
		"It signs that a trail only grows. Its public key, for veinte audit verify --witness:\n\n    %s\n", w.Public())
	for _, s := range list {
		fmt.Fprintf(&b, "\n%s\n", s.Origin)
		if s.At.IsZero() {
			b.WriteString("    todavía nada / nothing yet\n")
		} else {
			fmt.Fprintf(&b, "    %d registros / entries\n    raíz / root %s\n    firmado / cosigned %s\n",
				s.Size, s.Root, s.At.Format(time.RFC3339))
		}
		if s.Forks > 0 {
			fmt.Fprintf(&b, "    ATENCIÓN: %d puntos de control contradicen lo firmado; no se firmaron y están guardados.\n"+
				"    WARNING: %d checkpoints contradict what was cosigned; they were not signed, and are kept.\n", s.Forks, s.Forks)
		}
	}
	answer(rw, http.StatusOK, strings.TrimSuffix(b.String(), "\n"))
}

// serveHealth answers 200 while the witness can answer, and 503 when what it kept cannot be
// read.
func (w *Witness) serveHealth(rw http.ResponseWriter, _ *http.Request) {
	if _, err := w.Seen(); err != nil {
		w.log.Error("read what was seen", "error", err)
		answer(rw, http.StatusServiceUnavailable, "what was cosigned cannot be read")
		return
	}
	answer(rw, http.StatusOK, "ok")
}

func answer(rw http.ResponseWriter, status int, text string) {
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	rw.Header().Set("X-Content-Type-Options", "nosniff")
	rw.Header().Set("Cache-Control", "no-store")
	rw.WriteHeader(status)
	io.WriteString(rw, text+"\n")
}
