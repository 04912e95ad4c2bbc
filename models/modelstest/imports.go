package modelstest

import (
	"fmt"
	"strings"
	"testing"

	"veinte/models/imports"
)

const CSVHeader = "serialNumber,orderId,amount,soldAt,last4,reference\n"

// CSVSale is a row of the office's terminal.
func CSVSale(o *Office, order string) string {
	return fmt.Sprintf("%s,%s,1250.00,2026-11-20 11:59,4242,ticket\n", o.Terminal.SerialNumber, order)
}

// Give uploads a file and runs the job that checks it.
func Give(t *testing.T, o *Office, content string) *imports.Detail {
	t.Helper()
	imp, err := o.Imports.Upload(t.Context(), o.Admin, imports.OfSales, "ventas.csv", strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatalf("GiveImport() = %v", err)
	}
	return RunImport(t, o, imp.ID)
}

// RunImport does what the job does, and reads the result.
func RunImport(t *testing.T, o *Office, id int64) *imports.Detail {
	t.Helper()
	if err := o.Imports.RunImport(t.Context(), id); err != nil {
		t.Fatalf("RunImport() = %v", err)
	}
	return SaleDetail(t, o, id)
}

func SaleDetail(t *testing.T, o *Office, id int64) *imports.Detail {
	t.Helper()
	s, err := o.Imports.Detail(t.Context(), o.Admin, id)
	if err != nil {
		t.Fatalf("ImportStory() = %v", err)
	}
	return s
}

// Confirm confirms an import and lets the job do it.
func Confirm(t *testing.T, o *Office, s *imports.Detail, partial bool) *imports.Detail {
	t.Helper()
	if err := o.Imports.ConfirmImport(t.Context(), o.Admin, s.ID, s.Version, partial); err != nil {
		t.Fatalf("ConfirmImport() = %v", err)
	}
	return RunImport(t, o, s.ID)
}
