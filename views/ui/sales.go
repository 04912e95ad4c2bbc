package ui

import (
	"net/url"
	"strconv"
)

func Set(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}

func SetID(q url.Values, name string, id int64) {
	if id != 0 {
		q.Set(name, strconv.FormatInt(id, 10))
	}
}

// FormPath is where a form goes: to the list for a new thing, else to its page.
func FormPath(list string, id int64) string {
	if id == 0 {
		return list
	}
	return list + "/" + Itoa(id)
}

func Address(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}
