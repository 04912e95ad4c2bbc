package audit

import (
	"veinte/models/audit/export"
	"veinte/models/audit/sealing"
	"veinte/views/ui"
)

// ExportView is one export: what left, and whether a file is what left.
type ExportView struct {
	ui.Page
	Detail     export.Detail
	Altered    bool   // the entry of its end is not as it was sealed
	Typed      string // the hash to compare
	Errors     ui.Errors
	Compared   string              // the hash that was compared; "" when none was
	Checkpoint *sealing.Checkpoint // the last; nil when nothing was ever sealed, or the person reads no trail
}

// verdict is what a hash that was compared came to, as a key of the catalogue.
func (v *ExportView) verdict() string {
	switch {
	case v.Compared == "":
		return ""
	case v.Compared == v.Detail.Said.SHA256:
		return "same"
	}
	return "other"
}

// comparable reports whether the trail says what the file was, and is to be believed.
func (v *ExportView) comparable() bool { return v.Detail.Said.SHA256 != "" && !v.Altered }

// why is why a file cannot be compared, as a key of the catalogue.
func (v *ExportView) why() string {
	switch {
	case v.Altered:
		return "export.altered"
	case v.Detail.State == export.Running:
		return "export.running"
	case v.Detail.End == nil:
		return "export.noEntry"
	case v.Detail.State != export.Done:
		return "export.cut"
	}
	return "export.older"
}

// hashSystems are those whose command for a file's SHA-256 the catalogue has.
var hashSystems = []string{"Windows", "macOS", "Linux"}
