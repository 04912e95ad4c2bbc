package locale

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

//go:embed help/*/*.md
var guideFiles embed.FS

// Guide is a role's guide: what its jobs are, step by step. It is written in
// help/<language>/<role>.md, in the few forms of Markdown that Block and Inline
// name. What a screen says is named by its key, [[sales.cancel]], so that a guide
// always says what the screen says.
type Guide struct {
	Title    string
	Lead     []Block // before the first section
	Sections []Section
}

// Section is a job. ID is its anchor, the same in every language.
type Section struct {
	ID, Title string
	Blocks    []Block
}

// Block is a paragraph of Text, the steps of a job, a picture with what it shows
// in words, or the list of all states of a sale.
type Block struct {
	Text         []Inline
	Steps        [][]Inline
	Picture, Alt string
	States       bool
}

// Inline is a piece of text. Key is that of the words on a screen which Text is;
// To is where a link leads; Code is to be typed as it is.
type Inline struct {
	Text, Key, To string
	Code          bool
}

// Guides are embedded and tests read them all: a broken one is a broken build. Which
// role is offered which guide stands in models.RoleRow.
var guides = func() map[string]*Guide {
	all := map[string]*Guide{}
	files, _ := fs.Glob(guideFiles, "help/*/*.md")
	for _, file := range files {
		lang, name := path.Base(path.Dir(file)), strings.TrimSuffix(path.Base(file), ".md")
		data, err := guideFiles.ReadFile(file)
		if err != nil {
			panic(err)
		}
		guide, err := readGuide(lang, string(data))
		if err != nil {
			panic(fmt.Errorf("guide %s in %s: %w", name, lang, err))
		}
		all[lang+"/"+name] = guide
	}
	return all
}()

// GuideIn returns a guide in a language; nil when there is none.
func GuideIn(lang, name string) *Guide { return guides[lang+"/"+name] }

var (
	headLine    = regexp.MustCompile(`^## (.+) \{#([a-z]+)\}$`)
	stepLine    = regexp.MustCompile(`^\d+\. (.+)$`)
	pictureLine = regexp.MustCompile(`^!\[(.+)\]\(([a-z]+)\)$`)
	inlinePiece = regexp.MustCompile("\\[\\[([^\\]|]+)(?:\\|(\\w+)=([^\\]]*))?\\]\\]|\\[([^\\[\\]]+)\\]\\((/[^)]+)\\)|`([^`]+)`")
)

func readGuide(lang, text string) (*Guide, error) {
	g := &Guide{}
	to := &g.Lead
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		line := strings.TrimSpace(paragraph)
		head := headLine.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "# "):
			g.Title = line[2:]
		case head != nil:
			g.Sections = append(g.Sections, Section{ID: head[2], Title: head[1]})
			to = &g.Sections[len(g.Sections)-1].Blocks
		case strings.HasPrefix(line, "#"):
			return nil, fmt.Errorf("heading %q has no anchor {#like-this}", line)
		default:
			block, err := readBlock(lang, line)
			if err != nil {
				return nil, err
			}
			*to = append(*to, block)
		}
	}
	return g, nil
}

func readBlock(lang, text string) (b Block, err error) {
	if picture := pictureLine.FindStringSubmatch(text); picture != nil {
		return Block{Picture: picture[2], Alt: picture[1]}, nil
	}
	if text == "[states]" {
		return Block{States: true}, nil
	}
	if !stepLine.MatchString(firstLine(text)) {
		b.Text, err = readInline(lang, strings.ReplaceAll(text, "\n", " "))
		return b, err
	}
	for line := range strings.SplitSeq(text, "\n") {
		step := stepLine.FindStringSubmatch(line)
		if step == nil {
			return b, fmt.Errorf("%q is among steps and none", line)
		}
		pieces, err := readInline(lang, step[1])
		if err != nil {
			return b, err
		}
		b.Steps = append(b.Steps, pieces)
	}
	return b, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func readInline(lang, text string) (pieces []Inline, err error) {
	for {
		at := inlinePiece.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		part := func(n int) string {
			if at[2*n] < 0 {
				return ""
			}
			return text[at[2*n]:at[2*n+1]]
		}
		pieces = appendText(pieces, text[:at[0]])
		switch key := part(1); {
		case key != "" && !Has(key):
			return nil, fmt.Errorf("[[%s]] is no key of the catalogues", key)
		case key != "":
			pieces = append(pieces, Inline{Key: key, Text: In(lang, key, part(2), part(3))})
		case part(6) != "":
			pieces = append(pieces, Inline{Text: part(6), Code: true})
		default:
			pieces = append(pieces, Inline{Text: part(4), To: part(5)})
		}
		text = text[at[1]:]
	}
	if strings.ContainsAny(text, "[]*_`") {
		return nil, fmt.Errorf("%q holds a form that guides do not have", text)
	}
	return appendText(pieces, text), nil
}

func appendText(pieces []Inline, text string) []Inline {
	if text == "" {
		return pieces
	}
	return append(pieces, Inline{Text: text})
}
