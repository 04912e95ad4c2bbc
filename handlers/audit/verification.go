package audit

import (
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	auditview "veinte/views/audit"
	"veinte/views/ui"
	"veinte/views/verifier"
)

const verificationPath = "/audit/verification"

// ShowVerification handles GET /audit/verification, and the polled part of it
// with fragment=verification.
func (h *Handlers) ShowVerification(c *fiber.Ctx) error {
	page, err := h.Verify.Verifications(c.UserContext(), kit.Actor(c), c.Query("older"))
	if err != nil {
		return err
	}
	v := &auditview.VerificationView{Page: h.Page(c), Overview: *page, Older: c.Query("older") != "", Base: h.BaseURL}
	if v.Comparison, err = h.Compare.Last(c.UserContext()); err != nil {
		return err
	}
	if v.Differences, err = h.Compare.Differences(c.UserContext(), kit.Actor(c)); err != nil {
		return err
	}
	if v.Attesters, err = h.Attest.Status(c.UserContext()); err != nil {
		return err
	}
	if v.CanMail = h.Mail.CanMail(); v.CanMail {
		if v.Mail, err = h.Mail.CheckpointMail(c.UserContext(), kit.Actor(c)); err != nil {
			return err
		}
	}
	if c.Query("fragment") == "verification" {
		return h.RenderPolled(c, v.Page, auditview.VerificationBody(v))
	}
	if v.Months, err = h.Verify.TrailMonths(c.UserContext()); err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, auditview.Verification(v))
}

// StartVerification handles POST /audit/verification. A second click, or a
// colleague's, leads to the one that is under way.
func (h *Handlers) StartVerification(c *fiber.Ctx) error {
	_, err := h.Verify.StartVerification(c.UserContext(), kit.Actor(c))
	if errors.Is(err, verify.ErrVerifying) {
		return h.RedirectWith(c, verificationPath, ui.FlashProblem, verify.ErrVerifying.Code)
	}
	if err != nil {
		return err
	}
	return c.Redirect(verificationPath, fiber.StatusSeeOther)
}

// AskForSignatures handles POST /audit/signatures: whoever signs checkpoints beside us is
// asked now. What comes of it is on the page when it is there.
func (h *Handlers) AskForSignatures(c *fiber.Ctx) error {
	if err := h.Attest.Want(c.UserContext(), kit.Actor(c)); err != nil {
		return err
	}
	return h.RedirectWith(c, verificationPath, ui.FlashDone, "others.asked")
}

// LatestCheckpoint handles GET /audit/checkpoints/latest: the signed note,
// unchanged, for users to store elsewhere.
func (h *Handlers) LatestCheckpoint(c *fiber.Ctx) error {
	latest, err := h.Noted(c.UserContext())
	if err != nil {
		return err
	}
	if latest == nil {
		return sealing.ErrNothingSealed
	}
	if err := h.Verify.RecordCheckpointTaken(c.UserContext(), kit.Actor(c), latest); err != nil {
		return err
	}
	kit.Attach(c, latest.FileName(), fiber.MIMETextPlainCharsetUTF8)
	return c.SendString(latest.Note)
}

// MailCheckpoints handles POST /audit/checkpoints/mail: with on=1 the person has the
// checkpoint of each day mailed, without it not any more.
func (h *Handlers) MailCheckpoints(c *fiber.Ctx) error {
	on := c.FormValue("on") == "1"
	if err := h.Mail.SetCheckpointMail(c.UserContext(), kit.Actor(c), on); err != nil {
		return err
	}
	said := "checkpointMail.isOff"
	if on {
		said = "checkpointMail.isOn"
	}
	return h.RedirectWith(c, verificationPath, ui.FlashDone, said)
}

// SendVerifier handles GET /audit/verifier: the page that verifies files offline. It is a
// file to pass on, holds nothing of this shop, and is never a page of this site: its scripts
// stand in it.
func (h *Handlers) SendVerifier(c *fiber.Ctx) error {
	page, err := verifier.Page()
	if err != nil {
		return fmt.Errorf("write the verifier: %w", err)
	}
	kit.Attach(c, verifier.FileName, fiber.MIMEOctetStream)
	return c.Send(page)
}

// ProveEntry handles GET /audit/:id/proof: a file that proves the entry offline, and with
// from that the trail continues a checkpoint of so many entries.
func (h *Handlers) ProveEntry(c *fiber.Ctx, id int64) error {
	var kept []int64
	if c.Query("from") != "" {
		kept = append(kept, int64(c.QueryInt("from")))
	}
	proof, _, err := h.Verify.ProofFor(c.UserContext(), kit.Actor(c), id, kept...)
	if errors.Is(err, verify.ErrEntryArchived) {
		return h.showGone(c, id)
	}
	if err != nil {
		return err
	}
	file, err := proof.File()
	if err != nil {
		return fmt.Errorf("write proof: %w", err)
	}
	kit.Attach(c, fmt.Sprintf("veinte-prueba-%d.json", id), fiber.MIMEApplicationJSONCharsetUTF8)
	return c.Send(file)
}
