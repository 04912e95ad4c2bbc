// Package jsontext takes JSON apart without making values of it, as strictly as FORMAT.md
// asks: what two readers could understand differently is refused. It knows nothing of
// entries, files or databases.
package jsontext
