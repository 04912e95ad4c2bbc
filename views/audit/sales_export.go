package audit

import (
	"context"

	"veinte/models"
	"veinte/models/audit/export"
	"veinte/models/sales"
	"veinte/views/locale"
	"veinte/views/ui"
)

// SalesExportView is where files of sales are asked for and watched.
type SalesExportView struct {
	ExportsView // its filters, count and exports
	Filter      sales.ExportFilter
	Stores      []models.Store
}

// saleFormats are the formats of such a file.
var saleFormats = []export.Format{export.CSV, export.XLSX}

// saleBytes is about how much a sale takes in each format, measured.
var saleBytes = map[export.Format]int64{export.CSV: 290, export.XLSX: 110}

func (v *SalesExportView) saleSize(f export.Format) string {
	return ui.BytesWord(v.Count.Entries * saleBytes[f])
}

func (v *SalesExportView) saleCount(ctx context.Context) string {
	if v.Count.Exact {
		return locale.T(ctx, "salesExport.count", "Count", int(v.Count.Entries), "N", ui.Number(v.Count.Entries))
	}
	return locale.T(ctx, "salesExport.about", "N", ui.Number(v.Count.Entries))
}
