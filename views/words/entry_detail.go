package words

import (
	"veinte/views/ui"
)

func EntryPath(id int64) string { return "/audit/" + ui.Itoa(id) }

func (d *Difference) Was() []string { return orList(d.Removed, d.Before) }

func (d *Difference) Is() []string { return orList(d.Added, d.After) }

func orList(list []string, one string) []string {
	if one != "" {
		return []string{one}
	}
	return list
}
