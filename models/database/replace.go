package database

import (
	"errors"

	"gorm.io/gorm"

	"veinte/models"
)

// Replace changes the row if it is still in the version that was seen.
func (t Tx) Replace(model any, id int64, version int, columns map[string]any) error {
	columns["version"] = gorm.Expr("version + 1")
	done := t.Model(model).Where("id = ? AND version = ?", id, version).Updates(columns)
	if done.Error != nil {
		return done.Error
	}
	if done.RowsAffected != 1 {
		return models.ErrStale
	}
	return nil
}

// Duplicated names the field when the database refuses a second one.
func Duplicated(err error, field, code string) error {
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return &models.Error{Kind: models.KindInvalid, Code: code, Field: field}
	}
	return err
}
