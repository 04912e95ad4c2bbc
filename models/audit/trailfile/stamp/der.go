package stamp

import "errors"

// value is one value in DER: a tag of one byte, a definite length in its shortest form.
type value struct {
	tag  byte
	body []byte
	all  []byte // with tag and length
}

// The tags that tokens have.
const (
	tagInteger     = 0x02
	tagOctets      = 0x04
	tagObject      = 0x06
	tagGeneralized = 0x18
	tagSequence    = 0x30
	tagSet         = 0x31
	tagFirst       = 0xa0 // [0], constructed
)

var errDER = errors.New("not DER")

// next cuts the first value off.
func next(from []byte) (v value, rest []byte, err error) {
	if len(from) < 2 || from[0]&0x1f == 0x1f {
		return v, nil, errDER
	}
	length, head := int(from[1]), 2
	if length >= 0x80 {
		count := length & 0x7f
		if count < 1 || count > 3 || len(from) < 2+count || from[2] == 0 {
			return v, nil, errDER
		}
		length = 0
		for _, b := range from[2 : 2+count] {
			length = length<<8 | int(b)
		}
		if head += count; length < 0x80 {
			return v, nil, errDER
		}
	}
	if length > len(from)-head {
		return v, nil, errDER
	}
	return value{from[0], from[head : head+length], from[:head+length]}, from[head+length:], nil
}

// only reads a value of that tag behind which nothing follows.
func only(tag byte, from []byte) (value, error) {
	v, rest, err := next(from)
	if err != nil || v.tag != tag || len(rest) > 0 {
		return v, errDER
	}
	return v, nil
}

// parts reads the values within one.
func (v value) parts() (parts []value, err error) {
	for rest := v.body; len(rest) > 0; {
		var p value
		if p, rest, err = next(rest); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// list reads the values within one of that tag, of which there are at least so many.
func (v value) list(tag byte, least int) ([]value, error) {
	parts, err := v.parts()
	if err != nil || v.tag != tag || len(parts) < least {
		return nil, errDER
	}
	return parts, nil
}
