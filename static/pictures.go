package static

import (
	"embed"
	"encoding/binary"
	"errors"
	"io/fs"
	"path"
	"strings"
)

//go:embed help
var pictureFiles embed.FS

// Picture is a guide's picture, which make help-pictures draws at twice its
// displayed size. Width and height are in CSS pixels.
type Picture struct {
	URL           string
	Width, Height int
}

// pictureScale is the number of picture pixels per CSS pixel.
const pictureScale = 2

// pictures are the guides' pictures by language and name.
var pictures = readPictures()

// PictureOf returns a guide's picture in a language; ok is false when there is none.
func PictureOf(lang, name string) (p Picture, ok bool) {
	p, ok = pictures[lang+"/"+name]
	return p, ok
}

// Pictures lists the available pictures as language/name.
func Pictures() []string {
	var all []string
	for name := range pictures {
		all = append(all, name)
	}
	return all
}

func readPictures() map[string]Picture {
	all := map[string]Picture{}
	err := fs.WalkDir(pictureFiles, "help", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".webp" {
			return err
		}
		data, err := pictureFiles.ReadFile(file)
		if err != nil {
			return err
		}
		width, height, err := webpSize(data)
		if err != nil {
			return err
		}
		url := hashedURL(file, data)
		urls[file], files[url] = url, data
		name := strings.TrimSuffix(strings.TrimPrefix(file, "help/"), ".webp")
		all[name] = Picture{URL: url, Width: width / pictureScale, Height: height / pictureScale}
		return nil
	})
	if err != nil {
		panic(err) // tests read every embedded picture
	}
	return all
}

// webpSize reads a picture's size from the head of its file, either lossy (VP8) or
// extended (VP8X).
// https://developers.google.com/speed/webp/docs/riff_container
func webpSize(data []byte) (width, height int, err error) {
	if len(data) < 30 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WEBP" {
		return 0, 0, errors.New("no WebP")
	}
	switch string(data[12:16]) {
	case "VP8 ":
		const mask = 1<<14 - 1 // the upper bits hold the scaling
		return int(binary.LittleEndian.Uint16(data[26:]) & mask), int(binary.LittleEndian.Uint16(data[28:]) & mask), nil
	case "VP8X":
		three := func(at int) int { return int(data[at]) | int(data[at+1])<<8 | int(data[at+2])<<16 }
		return three(24) + 1, three(27) + 1, nil
	}
	return 0, 0, errors.New("a WebP of another kind: " + string(data[12:16]))
}
