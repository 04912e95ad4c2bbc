package commands

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/cosign"
	"veinte/models/audit/trailfile/strangers"
)

// wishes reads what is wanted of strangers. What cannot be meant is an error: whoever asks
// relies on it.
func (v *auditVerifyCommand) wishes(now time.Time) (w strangers.Wishes, err error) {
	w = strangers.Wishes{Quorum: v.Quorum, MaxAge: v.MaxAge, StampedWithin: v.StampedWithin, Now: now}
	for _, text := range v.Witness {
		witness, err := cosign.NewVerifier(text)
		if err != nil {
			return w, fmt.Errorf("witness: %w", err)
		}
		w.Witnesses = append(w.Witnesses, witness)
	}
	for _, name := range v.TSARoot {
		text, err := os.ReadFile(name)
		if err != nil {
			return w, fmt.Errorf("tsa-root: %w", err)
		}
		if w.Roots == nil {
			w.Roots = x509.NewCertPool()
		}
		if !w.Roots.AppendCertsFromPEM(text) {
			return w, fmt.Errorf("tsa-root %s: holds no certificate in PEM", name)
		}
	}
	asked := len(w.Witnesses) > 0 || w.Roots != nil
	switch {
	case w.Quorum != 0 && len(w.Witnesses) == 0:
		return w, errors.New(say("trailVerify.needsWitness"))
	case w.Quorum < 0 || w.Quorum > len(w.Names()):
		return w, errors.New(say("trailVerify.quorumBeyond", "N", w.Quorum, "Of", len(w.Names())))
	case w.MaxAge < 0 || w.StampedWithin < 0:
		return w, errors.New("a duration below zero")
	case w.MaxAge > 0 && !asked:
		return w, errors.New(say("trailVerify.needsStrangers", "Flag", "--max-age"))
	case w.StampedWithin > 0 && w.Roots == nil:
		return w, errors.New(say("trailVerify.needsRoot"))
	}
	return w, nil
}

// strangers prints who else has signed, and up to where.
func (v *auditVerifyCommand) strangers(verdict *trailfile.Verdict) {
	s := &verdict.Strangers
	if len(v.Witness) > 0 {
		fmt.Println(say("trailVerify.witnessesSigned", "N", s.Present, "Of", len(namesOf(v.Witness))))
	}
	for _, by := range s.Vouches {
		key, name := "trailVerify.witnessOf", by.Name
		if by.Kind == strangers.AStamp {
			if key = "trailVerify.stampOf"; by.Authority != "" {
				name = by.Authority + " (" + by.Name + ")"
			}
		}
		fmt.Println(say(key, "Name", name, "N", by.Size, "At", by.Time.Format(time.RFC3339)))
	}
	if s.Unasked > 0 {
		fmt.Println(say("trailVerify.unasked", "N", s.Unasked))
	}
}

func namesOf(keys []string) []string {
	var w strangers.Wishes
	for _, text := range keys {
		if witness, err := cosign.NewVerifier(text); err == nil {
			w.Witnesses = append(w.Witnesses, witness)
		}
	}
	return w.Names()
}
