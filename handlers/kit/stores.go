package kit

import (
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/models"
	"veinte/views/ui"
)

const typedKey = "typedStores"

// typedStores makes ids of the codes and names of stores that were typed, so that a
// handler reads the same field from a list and from a box. What means no store, or
// several, goes into no address: a form gets an id of none, which its field refuses.
func (k *Kit) typedStores(c *fiber.Ctx) error {
	args := c.Request().URI().QueryArgs()
	if c.Method() == fiber.MethodPost {
		if IsUpload(c) {
			return nil
		}
		args = c.Request().PostArgs()
	}
	var stores []models.Store
	wrong := map[string][]ui.TypedStore{}
	for _, name := range []string{ui.OneStore, ui.RuleStore, ui.ManyStores} {
		if !args.Has(name + ui.Typed) {
			continue
		}
		if stores == nil {
			dir, err := k.Directory(c.UserContext())
			if err != nil {
				return err
			}
			stores = dir.Visible(Actor(c))
		}
		typed := Clip(string(args.Peek(name+ui.Typed)), ui.MaxTyped)
		if name == ui.ManyStores {
			wrong[name] = addTyped(args, stores, typed)
		} else if unknown := setTyped(args, name, stores, typed, c.Method() == fiber.MethodPost); unknown != nil {
			wrong[name] = []ui.TypedStore{*unknown}
		}
	}
	if len(wrong) > 0 {
		c.Locals(typedKey, wrong)
	}
	return nil
}

// unknownStore is an id of none.
const unknownStore = "-1"

func setTyped(args *fasthttp.Args, name string, stores []models.Store, typed string, form bool) *ui.TypedStore {
	args.Del(name)
	if strings.TrimSpace(typed) == "" {
		return nil
	}
	found := models.FindStores(stores, typed)
	if len(found) == 1 {
		args.Set(name, ui.Itoa(found[0].ID))
		args.Del(name + ui.Typed) // it is sent once, also where a proof is asked for
		return nil
	}
	if form {
		args.Set(name, unknownStore)
	}
	return &ui.TypedStore{Text: strings.TrimSpace(typed), Means: found}
}

// addTyped adds the stores of a text with several: each on its own, separated as they
// are in a sentence or a column of a table. A name may have a comma in it.
func addTyped(args *fasthttp.Args, stores []models.Store, typed string) (wrong []ui.TypedStore) {
	texts := strings.FieldsFunc(typed, func(r rune) bool { return strings.ContainsRune(",;\t\r\n", r) })
	if len(models.FindStores(stores, typed)) == 1 {
		texts = []string{typed}
	}
	chosen := map[string]bool{}
	for _, id := range args.PeekMulti(ui.ManyStores) {
		chosen[string(id)] = true
	}
	add := func(id string) {
		if !chosen[id] {
			args.Add(ui.ManyStores, id)
		}
		chosen[id] = true
	}
	for _, text := range texts {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if found := models.FindStores(stores, text); len(found) == 1 {
			add(ui.Itoa(found[0].ID))
		} else {
			wrong = append(wrong, ui.TypedStore{Text: text, Means: found})
		}
	}
	args.Del(ui.ManyStores + ui.Typed)
	if len(wrong) > 0 {
		add(unknownStore)
	}
	return wrong
}

// showTyped has a page say what was typed that means no store. A form says it at its
// field; a list says it above all, because its filters may be folded away.
func showTyped(c *fiber.Ctx, p *ui.Page) {
	p.TypedStores, _ = c.Locals(typedKey).(map[string][]ui.TypedStore)
	if wrong := p.TypedStores[ui.OneStore]; len(wrong) > 0 && c.Method() == fiber.MethodGet && p.Flash == nil {
		p.Flash = &ui.Flash{Kind: ui.FlashProblem, Says: wrong[0].Says(c.UserContext())}
	}
}
