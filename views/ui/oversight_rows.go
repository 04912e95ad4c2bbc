package ui

import (
	"slices"

	"veinte/models"
)

func StoreName(stores []models.Store, id int64) string {
	if i := slices.IndexFunc(stores, func(s models.Store) bool { return s.ID == id }); i >= 0 {
		return stores[i].Name
	}
	return ""
}
