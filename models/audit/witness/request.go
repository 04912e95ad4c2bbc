package witness

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile/notes"
)

// checkpoint is a signed checkpoint as C2SP's tlog-checkpoint has it. It may have other
// lines below its root than those of our trails: a witness cosigns them unread.
type checkpoint struct {
	note, text string
	origin     string
	size       int64
	root       tlog.Hash
	signatures []notes.Signature
}

// request is what add-checkpoint was sent.
type request struct {
	checkpoint
	old   int64
	proof tlog.TreeProof
}

// readRequest reads the body of add-checkpoint. Every error is errRequest.
func readRequest(body string) (*request, error) {
	head, signed, ok := strings.Cut(body, "\n\n")
	lines := strings.Split(head, "\n")
	old, prefix := strings.CutPrefix(lines[0], "old ")
	if !ok || !prefix || len(lines) > 1+maxProof {
		return nil, errRequest
	}
	r := &request{}
	var err error
	if r.old, err = readSize(old); err != nil {
		return nil, errRequest
	}
	for _, line := range lines[1:] {
		h, err := tlog.ParseHash(line)
		if err != nil || h.String() != line {
			return nil, errRequest
		}
		r.proof = append(r.proof, h)
	}
	if r.checkpoint, err = readCheckpoint(signed); err != nil {
		return nil, errRequest
	}
	return r, nil
}

func readCheckpoint(signed string) (c checkpoint, err error) {
	text, below, err := notes.Cut(signed)
	if err != nil {
		return c, err
	}
	c.note, c.text = signed, text
	if c.signatures, err = notes.Signatures(below); err != nil {
		return c, err
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 3 || slices.Contains(lines, "") || notes.JudgeName(lines[0]) != nil {
		return c, fmt.Errorf("%.60q is no checkpoint", text)
	}
	c.origin = lines[0]
	if c.size, err = readSize(lines[1]); err != nil {
		return c, err
	}
	if c.root, err = tlog.ParseHash(lines[2]); err != nil || c.root.String() != lines[2] {
		return c, fmt.Errorf("%.60q is no root", lines[2])
	}
	return c, nil
}
