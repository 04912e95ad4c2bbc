package static

import "encoding/json"

// manifest is what a phone that keeps the product as an app reads of it, see
// https://www.w3.org/TR/appmanifest/. It has no words: the name is the same in every
// language. There is no service worker beside it: without a connection the product
// says so, and stores no request for later.
func manifest(urls map[string]string) []byte {
	icon := func(file, size, purpose string) map[string]string {
		return map[string]string{"src": urls[file], "sizes": size, "type": types[".png"], "purpose": purpose}
	}
	data, err := json.Marshal(map[string]any{
		"id": "/", "name": "Veinte", "short_name": "Veinte", "lang": "es-MX", "start_url": "/", "scope": "/", "display": "standalone",
		"background_color": "#f6f6f3", "theme_color": "#3046b5",
		"icons": []map[string]string{
			icon("small.png", "192x192", "any"), icon("large.png", "512x512", "any"), icon("maskable.png", "512x512", "maskable"),
		},
	})
	if err != nil {
		panic(err) // texts alone
	}
	return data
}
