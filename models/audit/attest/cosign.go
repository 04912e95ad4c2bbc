package attest

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/cosign"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/audit/witness"
)

// cosignature asks a witness to sign a checkpoint. What it says that it has seen is the size
// from which it is proved that the trail only grew.
func (s *Service) cosignature(ctx context.Context, d *dueOne, latest *sealing.Checkpoint) (signature, error) {
	text, note, err := bare(latest)
	if err != nil {
		return signature{}, err
	}
	claim, err := trailfile.ParseText(text)
	if err != nil {
		return signature{}, err
	}
	if d.SignedOrigin != claim.Origin && d.SignedOrigin != "" {
		d.SeenSize = 0 // the trail began anew; of that the witness knows nothing
	}
	client := witness.Client{URL: d.asked.URL, HTTP: s.http}
	lines, err := s.addFrom(ctx, client, d, latest.Size, note)
	var refused *witness.Refusal
	if errors.As(err, &refused) && refused.Status == http.StatusConflict && refused.Size >= 0 &&
		refused.Size != d.SeenSize && refused.Size <= latest.Size {
		d.SeenSize = refused.Size // it knows better than we do
		lines, err = s.addFrom(ctx, client, d, latest.Size, note)
	}
	if err != nil {
		return signature{}, refusal(err, latest.Size)
	}
	return ownLine(d.asked.Key, text, lines)
}

// addFrom sends a checkpoint with a proof from what the witness has seen.
func (s *Service) addFrom(ctx context.Context, a Adder, d *dueOne, size int64, note string) ([]string, error) {
	var proof []tlog.Hash
	if d.SeenSize > size {
		return nil, &trouble{Refused, fmt.Sprintf("it has seen %d entries, and the trail has %d: the end of the trail was cut, "+
			"or the database was put back to an older state", d.SeenSize, size)}
	}
	if d.SeenSize > 0 && d.SeenSize < size {
		p, err := s.seals.ProveConsistency(ctx, d.SeenSize, size)
		if err != nil {
			return nil, err
		}
		proof = p
	}
	return a.Add(ctx, d.SeenSize, proof, note)
}

// refusal says whether a witness is away or refuses, and why.
func refusal(err error, size int64) error {
	var refused *witness.Refusal
	var known *trouble
	if errors.As(err, &known) {
		return known
	}
	if !errors.As(err, &refused) {
		return away("%v", withoutAddress(err))
	}
	said := refused.Said
	switch refused.Status {
	case http.StatusConflict:
		if refused.Size > size {
			return &trouble{Refused, fmt.Sprintf("it has seen %d entries, and the trail has %d: the end of the trail was cut, "+
				"or the database was put back to an older state", refused.Size, size)}
		}
		return &trouble{Refused, fmt.Sprintf("it has seen another trail of %d entries", refused.Size)}
	case http.StatusUnprocessableEntity:
		return &trouble{Refused, "this trail does not continue the one that it has seen: " + said}
	case http.StatusForbidden:
		return &trouble{Refused, "it does not trust the key that signs this trail: " + said}
	case http.StatusNotFound:
		return wrong("it does not know this trail, or there is no witness at this address: give its operator the public key (%s)", said)
	case http.StatusBadRequest:
		return wrong("it does not understand what it is asked: %s", said)
	}
	return away("it answers %d: %s", refused.Status, said)
}

// ownLine finds the cosignature of the witness' own key over the text, and verifies it.
func ownLine(key, text string, lines []string) (signature, error) {
	v, err := cosign.NewVerifier(key)
	if err != nil {
		return signature{}, err
	}
	for _, line := range lines {
		all, err := notes.Signatures(line + "\n")
		if err != nil {
			return signature{}, wrong("it answers what is no signature")
		}
		if all[0].Name != v.Name() || all[0].Hash != v.KeyHash() {
			continue
		}
		if !v.Verify([]byte(text), all[0].Bytes) {
			return signature{}, wrong("its cosignature is not right")
		}
		at, err := cosign.Time(all[0].Bytes)
		if err != nil {
			return signature{}, wrong("its cosignature has no time")
		}
		return signature{line, at}, nil
	}
	return signature{}, wrong("its answer has no cosignature of its key: the key was replaced, or somebody else answers")
}
